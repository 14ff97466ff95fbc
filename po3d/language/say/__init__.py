"""Text generation: programs to English."""
