"""Scenes seen on an orbit, for the SCOPE twin."""
