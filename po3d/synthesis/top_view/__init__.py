"""Rooms with edits and questions for the Hypo3D twin."""
