"""3D models of the furniture catalogue."""

from pathlib import Path

FOLDER = Path("/usr/share/sweethome3d/furniture")  # location of the Debian package's libraries
