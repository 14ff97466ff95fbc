"""Grids over modules: each run with ground truth or noise in place of one module."""
