"""Random numbers that depend on (seed, stage, index) only.

They do not depend on the process, the worker or the order of calls.
"""

import zlib

import numpy as np


def rng(seed: int, stage: str, index: int = 0) -> np.random.Generator:
    """Return a new generator for item `index` of `stage`; equal arguments give equal streams on
    every machine."""
    return np.random.Generator(
        np.random.Philox(
            np.random.SeedSequence([seed, zlib.crc32(stage.encode(errors="surrogatepass")), index])
        )
    )
