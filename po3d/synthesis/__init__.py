"""Synthetic twins of the benchmarks: meshes, scenes, images, questions and exact labels."""
