"""Parsers: English to programs."""
