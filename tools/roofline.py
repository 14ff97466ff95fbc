"""Roofline analysis of each stage from street image to answers: python -m tools.bench roofline

A batch of images is processed with the shipped weights. For each stage it reports:

 GFLOP, MB     multiply and add operations of matrix products and convolutions
               (`torch.utils.flop_counter` plus those of crops); bytes of all tensors read and
               written by its operations, each once
 alive         peak bytes of the tensors created, for the whole batch
 operations    kernels that a GPU would launch, without views; waits: host synchronisations
               (`Counted`)
 ms, shares    time per image here, and its ratio to the time at this machine's peak rate of matrix
               products or copies; caches can make the latter exceed 100 %
 H100          times from that GPU's data sheet, with LAUNCH per operation

On a CPU, times are CPU times of all threads, so other load matters less; with `device` cuda they
are wall-clock times.
"""

import contextlib
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from po3d.evaluation.run import Split
from po3d.io.text_tables import Table
from po3d.language.read.street_parser import Parser
from po3d.perception.detection import detected, network_input
from po3d.perception.estimator import CHUNK
from po3d.perception.street import StreetEstimator, fitted, scenes_of, transferred
from po3d.reasoning.street_batched import outcomes

ATEN = torch.ops.aten
# Operations for whose results, or result sizes, the host has to wait.
WAITS = {
    ATEN._local_scalar_dense.default,
    ATEN.nonzero.default,
    ATEN.equal.default,
    ATEN.masked_select.default,
    ATEN.bincount.default,
    ATEN.repeat_interleave.Tensor,
}
READS = {torch.Tensor.cpu, torch.Tensor.tolist}  # not dispatched as operations if there is no GPU
# NVIDIA's data sheet of the H100 SXM: dense bf16 and double products, memory bandwidth. The cost of
# a launch from Python is an estimate.
H100_BF16, H100_DOUBLE, H100_BYTES, LAUNCH = 989e12, 67e12, 3.35e12, 5e-6
GPU_BATCH = 64
SECONDS = 2.0  # approximate measuring time per stage


class Counted(TorchDispatchMode):
    """Counts the operations executed inside: `flops`, `bytes`, `operations`, `peak` (see the
    module), and collects the names of host synchronisations in `waits`."""

    def __init__(self) -> None:
        super().__init__()
        self.flops, self.bytes, self.operations, self.alive, self.peak = 0, 0, 0, 0, 0
        self.waits: list[str] = []
        self.own: weakref.WeakSet[Any] = weakref.WeakSet()  # storages of tensors created inside
        self.reads = _Reads(self.waits)

    def __enter__(self) -> "Counted":
        self.reads.__enter__()
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self.reads.__exit__(*error)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        kwargs = kwargs or {}
        counts = flop_registry.get(func._overloadpacket)
        if counts is None and func is not torch.ops.prim.device.default:
            # in inference mode composite operations are not decomposed before dispatch
            with _again(self):
                if (result := func.decompose(*args, **kwargs)) is not NotImplemented:
                    return result
        if self._waits(func, args, kwargs):
            self.waits.append(str(func))
        result = func(*args, **kwargs)
        if func.is_view:
            return result
        outputs = [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
        inputs = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        self.operations += 1
        self.bytes += sum(map(_bytes, {id(t): t for t in (*inputs, *outputs)}.values()))
        if counts is not None:
            self.flops += counts(*args, **kwargs, out_val=result)
        elif func._overloadpacket in (ATEN._embedding_bag, ATEN._embedding_bag_forward_only):
            self.flops += 2 * args[1].numel() * args[0].shape[1]
        for tensor in outputs:
            self._born(tensor.untyped_storage())
        return result

    def _born(self, storage: torch.UntypedStorage) -> None:
        if storage in self.own:
            return
        self.own.add(storage)
        self.alive += storage.nbytes()
        self.peak = max(self.peak, self.alive)
        weakref.finalize(storage, self._died, storage.nbytes()).atexit = False

    def _died(self, size: int) -> None:
        self.alive -= size

    @staticmethod
    def _waits(func: Any, args: tuple, kwargs: dict) -> bool:
        if func in (ATEN._to_copy.default, ATEN.copy_.default):
            tensors = [a for a in args if isinstance(a, Tensor)]
            to = kwargs.get("device") or tensors[0].device
            return tensors[-1].device.type == "cuda" and torch.device(to).type == "cpu"
        unsized = func is ATEN.repeat_interleave.Tensor and kwargs.get("output_size") is not None
        indices = args[1] if func in (ATEN.index.Tensor, ATEN.index_put_.default) else ()
        masked = any(i is not None and i.dtype == torch.bool for i in indices)
        return masked or (func in WAITS and not unsized)


class _Reads(TorchFunctionMode):
    """Records reads by the host."""

    def __init__(self, waits: list[str]) -> None:
        super().__init__()
        self.waits = waits

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        # reads from a GPU are seen by `Counted`
        if func in READS and args[0].device.type != "cuda":
            self.waits.append(func.__name__)
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def _again(mode: Counted) -> Iterator[None]:
    TorchDispatchMode.__enter__(mode)
    try:
        yield
    finally:
        TorchDispatchMode.__exit__(mode, None, None, None)


def _bytes(tensor: Tensor) -> int:
    """Return the bytes in memory; expanded tensors share theirs."""
    return min(tensor.numel() * tensor.element_size(), tensor.untyped_storage().nbytes())


class TimedStage(NamedTuple):
    name: str
    work: Callable[[], Any]
    doubles: bool = False  # its products are in double precision
    halved: bool = False  # runs in 16 bits on GPUs


class _CachedOutputs:
    """A network with cached dense outputs and the original's other attributes."""

    def __init__(self, looks: Any, dense: Any) -> None:
        self.looks, self.dense = looks, dense

    def __call__(self, images: Tensor) -> Any:
        return self.dense

    def __getattr__(self, name: str) -> Any:
        return getattr(self.looks, name)


def stages(
    estimator: StreetEstimator,
    parser: Parser,
    split: Split,
    names: Sequence[str],
    packed: bool | None = None,
) -> Iterator[TimedStage]:
    """Yield the stages from the named images to the answers of their questions; each uses the
    results of those before. `packed`: see `detection.detected`."""
    looks, device = estimator.looks, estimator.device

    def read() -> np.ndarray:
        return np.stack([network_input(split.image(name), looks) for name in names])

    @torch.inference_mode()
    def pixels() -> Tensor:
        return looks.input.pixels(torch.from_numpy(batch).to(device)).to(
            memory_format=torch.channels_last
        )

    @torch.inference_mode()
    def look() -> Any:
        with torch.autocast(device.type, torch.bfloat16, enabled=estimator.half):
            return looks(images)

    def find() -> Any:
        options = (estimator.width, estimator.limit, estimator.calibration, estimator.half)
        return detected(
            _CachedOutputs(looks, dense), images, *options, estimator.threshold, packed=packed
        )

    def tables() -> list:
        return scenes_of(
            detections.arrays(), transferred(fit), names, estimator.calibration["covariance"]
        )

    yield TimedStage("files to pixels", read)
    batch = read()
    yield TimedStage("pixels to the device", pixels)
    images = pixels()
    yield TimedStage("network", look, halved=True)
    dense = look()
    yield TimedStage("boxes, box head, beliefs", find, halved=True)
    detections = find()
    yield TimedStage("joint fit", lambda: fitted(detections), True)
    fit = fitted(detections)
    yield TimedStage("tables", tables, True)
    scenes = tables()
    place = {name: k for k, name in enumerate(names)}
    questions = [q for q in split.questions if q.image in place]
    texts = [q.text for q in questions]
    yield TimedStage("parser", lambda: parser.parse(texts))
    parsed = parser.parse(texts)
    items = [
        (p.program.call, place[q.image], q.task)
        for p, q in zip(parsed, questions)
        if p.program is not None
    ]
    yield TimedStage("marginal answers", lambda: outcomes(scenes, items), True)


def measured(work: Callable[[], Any], device: torch.device, seconds: float = SECONDS) -> float:
    """Return the seconds of the fastest of at least three runs, after a warm-up: CPU time, or
    wall-clock time on a GPU."""
    clock = time.process_time if device.type == "cpu" else time.perf_counter

    def once() -> float:
        start = clock()
        work()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        return clock() - start

    once()
    took: list[float] = []
    while len(took) < 3 or sum(took) < seconds:
        took.append(once())
    return min(took)


class Roof(NamedTuple):
    """Peak rates of this machine per second: operations of large matrix products, bytes of large
    copies."""

    flops: float
    doubles: float
    bytes: float


def roof(device: torch.device, half: bool) -> Roof:
    on_cpu = device.type == "cpu"

    def products(dtype: torch.dtype) -> float:
        n = 1536 if on_cpu else 8192
        a, b = (torch.randn(n, n, device=device).to(dtype) for _ in range(2))
        return 2 * n**3 / measured(lambda: a @ b, device)

    a = torch.ones(2**26 if on_cpu else 2**29, device=device)
    b = torch.empty_like(a)
    copied = 2 * a.numel() * a.element_size() / measured(lambda: b.copy_(a), device)
    return Roof(
        products(torch.bfloat16 if half else torch.float32), products(torch.float64), copied
    )


def tables(
    estimator: StreetEstimator, parser: Parser, split: Split, batch: int | None = None
) -> Iterator[tuple[str, Table]]:
    """Yield titles and tables. `batch`: images per batch; None for the estimators' default on the
    device."""
    device = estimator.device
    on_cpu = device.type == "cpu"
    batch = batch or (CHUNK if on_cpu else GPU_BATCH)
    names = list(dict.fromkeys(q.image for q in split.questions))[:batch]
    top = roof(device, estimator.half)
    here: list[tuple] = []
    for stage in stages(estimator, parser, split, names):
        with Counted() as did:
            stage.work()
        took = measured(stage.work, device) / len(names)
        best = did.flops / len(names) / (top.doubles if stage.doubles else top.flops)
        least = did.bytes / len(names) / top.bytes
        here.append(
            (
                stage.name,
                f"{did.flops / len(names) / 1e9:.3f}",
                did.bytes / len(names) / 1e6,
                did.peak / 1e6,
                did.operations,
                len(did.waits),
                f"{1000 * took:.2f}",
                *(f"{100 * s / took:.0f} %" for s in (best, least)),
            )
        )
    did_what = ("a picture", "GFLOP", "MB", "alive, MB", "operations", "waits")
    title = (
        f"{len(names)} pictures at once on {device}; products {top.flops / 1e9:,.0f} GFLOP/s"
        f" (doubles {top.doubles / 1e9:,.0f}), copies {top.bytes / 1e9:,.1f} GB/s"
    )
    yield title, Table((*did_what, "ms", "of products", "of copies"), here)
    names = list(dict.fromkeys(q.image for q in split.questions))[:GPU_BATCH]
    there = []
    for stage in stages(estimator, parser, split, names, packed=False):
        with Counted() as did:
            stage.work()
        share = 0.5 if stage.halved and not estimator.half else 1.0
        each = (
            did.flops / (H100_DOUBLE if stage.doubles else H100_BF16),
            share * did.bytes / H100_BYTES,
            did.operations * LAUNCH,
        )
        took = (f"{1e6 * s / len(names):.2f}" for s in each)
        there.append((stage.name, *took, did.peak * share / 1e6, len(did.waits)))
    header = ("us a picture", "products", "bytes", "launches", "alive, MB", "waits")
    yield f"An H100 by arithmetic, {len(names)} pictures at once", Table(header, there)
