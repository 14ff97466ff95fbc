"""Scene tables: geometry, objects, cameras, reference frames, edits, fusion.

This package uses no networks and no natural language.
"""
