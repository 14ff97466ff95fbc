"""The `po3d` command."""
