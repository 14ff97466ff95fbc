"""One adapter a benchmark: load or generate, then score."""
