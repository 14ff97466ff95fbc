"""Module ablations: oracle grids with ground truth or noise in place of modules, and training
studies.
"""
