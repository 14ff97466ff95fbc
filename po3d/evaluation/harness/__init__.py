"""Interfaces to other evaluation harnesses: export, import, serving."""

FORMATS = ("vlmevalkit", "lmms-eval", "openai", "datasets")  # export formats of a split
