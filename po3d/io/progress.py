"""Progress of a stage with its remaining time: one line on the terminal, nothing if redirected."""

import functools

from tqdm import tqdm

progress = functools.partial(tqdm, delay=1, disable=None, dynamic_ncols=True)
