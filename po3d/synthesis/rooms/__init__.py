"""Rooms, their changes and questions, for the Hypo3D twin."""
