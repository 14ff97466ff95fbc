"""Multi-view scenes with cameras on an orbit, for the SCOPE twin."""
