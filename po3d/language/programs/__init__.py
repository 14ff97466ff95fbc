"""Spellings of programs by benchmark: operations, types and text form."""
