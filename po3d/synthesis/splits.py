"""Names of the splits of models: a module of its own, because benchmarks that only read need no mesh library."""

from typing import Literal

Split = Literal["train", "val", "test"]
