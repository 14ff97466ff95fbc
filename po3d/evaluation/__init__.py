"""What a system is worth: runs, statistics, comparisons, audits."""
