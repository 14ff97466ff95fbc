"""SCOPE."""
