"""Files and services of other evaluation harnesses: export, import, serving."""

FORMATS = ("vlmevalkit", "lmms-eval", "openai", "datasets")  # that a split is exported in
