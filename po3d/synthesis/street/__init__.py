"""Street scenes and their questions for the PulseCheck457 twin."""
