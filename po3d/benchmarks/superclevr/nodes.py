"""Super-CLEVR's question programs: lists of nodes such as filter_color, in both directions."""

import itertools
from collections.abc import Mapping, Sequence

from po3d.benchmarks.superclevr.names import identifier
from po3d.language.program import ProgramError
from po3d.language.programs.street import Step, StreetProgram, asking

MAX_STEPS = 200  # maximum length of a program; the benchmark's longest has 25 nodes
_TRAVELS = ("forward", "backward")
# Official nodes without values -> (op, args).
_NODES: dict[str, tuple[str, tuple[str, ...]]] = {
    **{op: (op, ()) for op in ("scene", "unique", "union", "intersect", "count", "exist")},
    **{op: (op, ()) for op in ("equal_integer", "less_than", "greater_than")},
    **{f"{pose}_pose": ("aligned", (pose,)) for pose in ("same", "opposite", "vertical")},
    "relate_occluding": ("occludees", ()),
    "relate_occluded": ("occluder", ()),
    "filter_occludee": ("filter", ("occlusion", "occluded")),
    "filter_occluder": ("filter", ("occlusion", "occluding")),
}
_KINDS = {step: kind for kind, step in _NODES.items()}


def _step(kind: str, values: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return (op, args) of one official node."""
    if kind in _NODES:
        return _NODES[kind]
    if kind == "relate":
        (value,) = values
        return ("collide", (value,)) if value in _TRAVELS else ("relate", (value, "task"))
    op, _, attribute = kind.partition("_")
    attribute = "facing" if attribute == "pose" else attribute
    if op == "filter":
        (value,) = values
        return "filter", (attribute, identifier(value.removesuffix("_pose")))
    if op in ("query", "same", "equal"):
        return op, (attribute,)
    if "part" in kind:
        raise ProgramError(f"{kind} is about parts of objects, which scenes do not contain")
    raise ProgramError(f"unknown node type {kind!r}")


def program_from_nodes(nodes: Sequence[Mapping]) -> StreetProgram:
    """Convert an official node list, whose last node is the answer, to a program.

    Raise ProgramError for unsupported nodes, such as object parts, and for malformed lists. A node
    with several consumers is duplicated for each of them.
    """
    counter = itertools.count(1)

    def build(k: int) -> StreetProgram:
        if next(counter) > MAX_STEPS:
            raise ProgramError(f"the program has more than {MAX_STEPS} steps")
        node = nodes[k]
        if not isinstance(node, Mapping):
            raise ProgramError(f"node {k} is malformed: {type(node).__name__} {str(node)[:40]!r}")
        try:
            op, args = _step(node.get("type") or node["function"], node.get("value_inputs") or ())
            inputs, token = tuple(map(int, node["inputs"])), Step(op, args).token
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, ProgramError):
                raise
            raise ProgramError(f"node {k} is malformed: {error!r}") from None
        if any(not 0 <= i < k for i in inputs):
            raise ProgramError(f"node {k}: its inputs {inputs} are not earlier nodes")
        return StreetProgram(token, tuple(map(build, inputs)))

    if not nodes:
        raise ProgramError("empty node list")
    if len(nodes) > MAX_STEPS:
        raise ProgramError(f"the program has more than {MAX_STEPS} nodes")
    return asking(build(len(nodes) - 1))


def nodes_from_program(
    program: StreetProgram, outputs: Sequence[object] | None = None
) -> list[dict]:
    """Convert a program to the official node list, with each node's `_output` if `outputs` are
    given.

    Raise ProgramError for what the official language lacks: explicit frames, "parallel",
    "unoccluded".
    """
    nodes = []
    for k, step in enumerate(program.steps):
        kind, values = _node(step)
        node: dict = {"type": kind, "inputs": list(step.inputs), "value_inputs": values}
        if outputs is not None:
            node["_output"] = outputs[k]
        nodes.append(node)
    return nodes


def _node(step: Step) -> tuple[str, list[str]]:
    op, args = step.op, step.args
    if (op, args) in _KINDS:
        return _KINDS[op, args], []
    if op == "collide":
        return "relate", list(args)
    if op == "relate" and args[1] == "task":
        return "relate", [args[0]]
    if op == "filter" and args[0] == "facing":
        return "filter_pose", [f"{args[1]}_pose"]
    if op == "filter" and args[0] != "occlusion":
        return f"filter_{args[0]}", [args[1]]
    if op in ("query", "same", "equal"):
        return f"{op}_{'pose' if args[0] == 'facing' else args[0]}", []
    raise ProgramError(f"the official node list cannot express {step.token}")
