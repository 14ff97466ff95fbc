"""Images to scene tables."""
