"""Parametric meshes of everyday things, and the primitives that all meshes are made of."""
