"""Hypo3D."""
