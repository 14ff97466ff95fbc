"""Check the grammar files.

Reported are unbalanced brackets, unbound slots, missing phrases, unreachable rules, operations and
street attribute values without wordings, and ambiguous sentences.
"""

from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from itertools import product, repeat

from po3d.language.grammar import Grammar, load
from po3d.language.grammar_file import GrammarError, Pattern, compiled
from po3d.language.program import ANSWERS, LEAVES, SIGNATURES, Call, Signature, call
from po3d.language.say import plain
from po3d.scene.vocabulary import ATTRIBUTES

# Start keys of the grammars' sentences; the keys of other grammars are used by name in the code.
STARTS = {
    "plain": ("question", "edit", "object", "place", "frame", "thing"),
    "rooms": (
        "spoken",
        "asked",
        "edit",
        "object",
        "set",
        "place",
        "thing",
        "direction",
        "name",
        "value",
    ),
    "superclevr": ("question", "opening"),
}
# The simplest argument of each type.
_CHAIR, _BED = (
    call("unique", call("filter", "name", name, call("scene"))) for name in ("chair", "bed")
)
_SIMPLE = {
    "objects": call("filter", "name", "cup", call("scene")),
    "frame": call("frame", "camera"),
    "number": call("count", call("scene")),
    "value": call("query", "color", _CHAIR),
    "bool": call("exist", call("scene")),
    "place": call("place", "centre"),
    "edit": call("remove", call("group", _CHAIR)),
    "thing": call("thing", "lamp", call("plain")),
    "traits": call("trait", "color", "red", call("plain")),
    "text": "red",
    "amount": 2.0,
}
_VALUES = {
    "name": "bottle",
    "shape": "bus",
    "size": "large",
    "material": "wooden",
    "state": "open",
    "facing": "away",
    "occlusion": "hidden",
    "purpose": "sitting",
    "side": "left",
}


def everything() -> list[str]:
    """Return the problems of all grammar files, one line each."""
    files = (resources.files("po3d.language") / "grammars").iterdir()
    faults: list[str] = []
    for name, _, kind in sorted(file.name.partition(".") for file in files):
        if kind == "grammar":
            faults += problems(load(name), STARTS.get(name, ()))
    return faults + wordless() + ambiguities()


def wordless(values: Mapping[str, Sequence[str]] = ATTRIBUTES) -> list[str]:
    """Return a line for each street attribute value for which a grammar file has no phrase."""
    faults = []
    for name, template in (
        ("street_benchmark", "word.{}"),
        ("street_wide", "word.{}"),
        ("read_street", 'adjective "{}"'),
    ):
        known = {f'{r.key} "{r.pattern.op}"' if r.pattern else r.key for r in load(name).rules}
        keys: list[str] = []
        for attribute, each in values.items():
            keys += map(template.format, each if attribute != "shape" else ())
        if name != "read_street":
            keys += map("noun.{}".format, values.get("shape", ()))
        faults += [f"{name}.grammar: '{key}:' is missing" for key in keys if key not in known]
    return faults


def ambiguities() -> list[str]:
    """Return a line for each sample program without a wording, or with an ambiguous one.

    The wordings are those of plain.grammar.
    """
    programs: dict[str, Call] = {}
    faults = []
    for program in samples():
        try:
            text = plain.say(program)
        except GrammarError as error:
            faults.append(str(error))
            continue
        if programs.setdefault(text, program) != program:
            faults.append(f"plain.grammar: {text!r} means both {programs[text]} and {program}")
    return faults


def samples() -> Iterator[Call]:
    """Yield questions and edits that cover each operation with each word of its leaves."""
    for op, signatures in SIGNATURES.items():
        for signature in signatures:
            for args in product(*_arguments(signature)):
                yield from _asking(
                    call(op, *(_VALUES.get(args[0], a) if a == "red" else a for a in args))
                )


def _arguments(signature: Signature) -> Iterator[Sequence]:
    objects = iter((_CHAIR, _BED, call("refer", "door")))
    sets = iter((_SIMPLE["objects"], call("scene")))
    for kind in signature.inputs:
        words = LEAVES.get(kind)
        if kind == "object":
            yield (next(objects),)
        elif kind == "objects":
            yield (next(sets),)
        else:
            yield words if isinstance(words, tuple) else (_SIMPLE[kind],)


def _asking(program: Call) -> Iterator[Call]:
    """Yield complete questions or edits that contain a call."""
    match program.output:
        case "objects":
            yield from (call("count", program), call("exist", program), call("remove", program))
        case "object":
            yield call("query", "color", program)
        case "frame":
            yield call("direction", _CHAIR, _BED, program, "eight")
        case "place":
            yield call("move", call("group", _BED), program)
        case "thing":
            yield call("replace", call("group", _BED), program)
        case "traits":
            yield call("replace", call("group", _BED), call("thing", "lamp", program))
        case kind if kind in ANSWERS or kind == "edit":
            yield program


def problems(grammar: Grammar, starts: Sequence[str] = ()) -> list[str]:
    """Return the problems of a grammar, one line each.

    Reported are unbalanced brackets, unbound slots, missing phrases, unused phrases (if the
    `starts` of its sentences are given), unreachable rules and duplicate wordings.
    """
    faults, used = [], set(starts)
    for rule in grammar.rules:
        where = f"{grammar.name}.grammar, line {rule.line}"
        capitals = set(rule.pattern.capitals()) if rule.pattern else None
        for wording in rule.wordings:
            try:
                parts = list(_nodes(compiled(wording)))
            except GrammarError as error:
                faults.append(f"{where}: {error}")
                continue
            for kind, *rest in parts:
                if kind == "phrase":
                    used.add(rest[0])
                    if rest[0] not in grammar.of:
                        faults.append(f"{where}: there is no phrase <{rest[0]}>")
                elif kind == "slot":
                    used.add(rest[1])
                    if capitals is not None and rest[0] not in capitals:
                        faults.append(f"{where}: {{{rest[0]}}} is not bound")
        if rule.pattern and len(set(rule.wordings)) < len(rule.wordings):
            faults.append(f"{where}: duplicate wording")
        for earlier in grammar.of[rule.key]:
            always = (
                earlier.line < rule.line and earlier.only and not earlier.facts and earlier.pattern
            )
            if always and rule.pattern and _covers(earlier.pattern, rule.pattern, {}):
                faults.append(
                    f"{where}: never used, because line {earlier.line} always takes precedence"
                )
    for key in grammar.of if starts else ():
        if key not in used:
            faults.append(f"{grammar.name}.grammar: the phrase <{key}> is never used")
    return faults


def _nodes(node: tuple) -> Iterator[tuple]:
    yield node
    if node[0] in ("all", "choice"):
        for part in node[1:]:
            yield from _nodes(part)


def _covers(wide: Pattern, narrow: Pattern, bound: dict[str, Pattern]) -> bool:
    """Return whether every value that matches `narrow` also matches `wide`."""
    if wide.free:
        return wide.op == "_" or bound.setdefault(wide.op, narrow) == narrow
    return (
        not narrow.free
        and wide.op == narrow.op
        and len(wide.args) == len(narrow.args)
        and all(map(_covers, wide.args, narrow.args, repeat(bound)))
    )
