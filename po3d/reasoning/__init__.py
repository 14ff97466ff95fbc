"""Programs, relations and their execution on scene tables."""
