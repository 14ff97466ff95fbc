"""One adapter per benchmark: load or generate a split, then score predictions."""
