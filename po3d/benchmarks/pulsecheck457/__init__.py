"""PulseCheck457 (released as Spatial457), and the files of Super-CLEVR."""
