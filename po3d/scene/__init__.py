"""The scene table: geometry, objects, cameras, frames, edits, fusion. No network, no English."""
