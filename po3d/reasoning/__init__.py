"""Execution of programs on scene tables: relations, executors, edits and votes."""
