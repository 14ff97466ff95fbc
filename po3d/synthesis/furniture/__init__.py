"""3D models of the furniture catalogue."""

from pathlib import Path

FOLDER = Path("/usr/share/sweethome3d/furniture")  # where the Debian package puts its libraries
