"""Scene tables: geometry, objects, cameras, reference frames, edits, fusion. No networks, no
language.
"""
