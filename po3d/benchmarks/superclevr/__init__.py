"""Super-CLEVR: its files (shared with PulseCheck457), question programs, and our twin."""
