"""Changes and questions of rooms in English."""
