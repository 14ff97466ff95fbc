"""How far a stage is and how long it still takes: one line on the terminal, and nothing where the output goes elsewhere."""

import functools

from tqdm import tqdm

progress = functools.partial(tqdm, delay=1, disable=None, dynamic_ncols=True)
