"""English to programs."""
