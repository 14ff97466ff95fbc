"""Programs, and parsers and generators of their English."""
