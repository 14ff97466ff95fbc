"""PulseCheck457 (released as Spatial457)."""
