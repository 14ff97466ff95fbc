"""Super-CLEVR: its files, which PulseCheck457 shares, its questions in programs, and our twin of it."""
