"""Records that a schema must refuse, drawn from the schema itself: one field of a right record is
made wrong.
"""

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

Path = tuple[str | int, ...]
GONE = object()
NUMBERS = (float("nan"), float("inf"), -float("inf"), 1e308, -1e300, 10**400, "1.5", True, [], {})
WRONG = {
    "number": NUMBERS,
    "integer": (*NUMBERS[:5], 1.5, "1", -7, [], {}, 10**400),
    "string": (3, 1.5, True, [], {}),
    "boolean": ("yes", 2, [], {}),
    "array": ("text", 3, {}, True),
    "object": ("text", 3, [], True),
}


def drawn(strategy: st.SearchStrategy, count: int) -> list[Any]:
    """At most `count` values of a strategy, the same on every run, none twice."""
    result: dict[str, Any] = {}

    @settings(max_examples=4 * count, derandomize=True, database=None, phases=[Phase.generate])
    @given(strategy)
    def collect(value: Any) -> None:
        if len(result) < count:
            result.setdefault(repr(value)[:2000], value)

    collect()
    return list(result.values())


def spoiled(kind: type, record: dict, count: int) -> list[tuple[str, dict]]:
    """`count` copies of `record`, each with one field that a `kind` can't have, and what was done
    to it.
    """
    places = list(_places(TypeAdapter(kind).json_schema(by_alias=True), record))

    def choices(place: tuple[Path, dict, bool]) -> st.SearchStrategy:
        path, schema, required = place
        return st.tuples(st.just(path), st.sampled_from(_wrong(schema, required)))

    changes = drawn(
        st.sampled_from([p for p in places if _wrong(p[1], p[2])]).flatmap(choices), count
    )
    return [
        (f"{'.'.join(map(str, path))} = {value!r:.40}", _with(record, path, value))
        for path, value in changes
    ]


def _wrong(schema: dict, required: bool) -> list[Any]:
    """Values that break `schema`; GONE where a field may not be missing. [] where it allows several
    types.
    """
    branches = schema.get("anyOf", [schema])
    intended = [b for b in branches if b.get("type") != "null"]
    result: list[Any] = [GONE] if required else []
    if len(intended) != 1 or not intended[0].keys() & {"type", "enum", "const"}:
        return result
    (branch,) = intended
    if len(branches) == 1:
        result.append(None)
    if "enum" in branch or "const" in branch:
        return [*result, "nonsense", 7, []]
    result += WRONG.get(branch["type"], ())
    result += [branch["minimum"] - 1] if "minimum" in branch else []
    result += [branch["maximum"] + 1] if "maximum" in branch else []
    result += [[]] if branch.get("minItems") else []
    result += ["x" * (branch["maxLength"] + 1)] if branch.get("maxLength", 10**9) < 10**5 else []
    return result


def _places(
    schema: dict, record: Any, path: Path = (), root: dict | None = None
) -> Iterator[tuple[Path, dict, bool]]:
    """(path, schema, is it required) of every part of `record` that the schema knows."""
    root = root or schema
    inner = next(s for s in _branches(schema, root) if s.get("type") != "null")
    if isinstance(record, dict):
        supplied, needed = inner.get("properties", {}), inner.get("required", ())
        parts = [
            (k, v, supplied.get(k) or inner.get("additionalProperties"), k in needed)
            for k, v in record.items()
        ]
    elif isinstance(record, list):
        slots = inner.get("prefixItems")
        parts = [
            (k, v, slots[k] if slots else inner.get("items"), bool(slots))
            for k, v in enumerate(record)
        ]
    else:
        return
    for key, value, own, required in parts:
        if isinstance(own, dict) and own:
            yield (*path, key), {"anyOf": _branches(own, root)}, required
            yield from _places(own, value, (*path, key), root)


def _branches(schema: dict, root: dict) -> list[dict]:
    """What a value of `schema` may be, references followed."""
    schema = _resolved(schema, root)
    return [_resolved(s, root) for s in schema.get("anyOf", [schema])]


def _resolved(schema: dict, root: dict) -> dict:
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def _with(record: dict, path: Path, value: Any) -> dict:
    changed = copy.deepcopy(record)
    place = changed
    for part in path[:-1]:
        place = place[part]
    if value is GONE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return changed


def written(record: Any) -> bytes:
    """JSON as a careless writer has it: NaN and Infinity stand there, and numbers of any length."""
    return json.dumps(record).encode()
