"""3D models of the furniture catalogue."""
