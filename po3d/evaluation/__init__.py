"""Evaluation of systems: runs, statistics, comparisons, audits."""
