"""Rooms seen from inside, for the 3DSRBench twin."""
