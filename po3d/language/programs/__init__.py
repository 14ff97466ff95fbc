"""Programs: operations, types and text form."""
