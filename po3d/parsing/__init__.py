"""Text to programs."""
