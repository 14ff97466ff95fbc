"""Programs to English."""
