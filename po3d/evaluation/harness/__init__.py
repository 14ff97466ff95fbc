"""Files and services of other evaluation harnesses: export, import, serving."""
