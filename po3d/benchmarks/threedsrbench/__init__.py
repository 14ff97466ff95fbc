"""3DSRBench."""
