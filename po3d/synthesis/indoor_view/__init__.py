"""Indoor views of rooms for the 3DSRBench twin."""
