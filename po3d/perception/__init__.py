"""Perception: images to scenes."""
