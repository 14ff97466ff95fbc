"""Generate street questions."""
