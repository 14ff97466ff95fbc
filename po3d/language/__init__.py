"""Programs and their English."""
