"""Parametric meshes of everyday objects, and the primitives from which all meshes are built."""
