"""The answer field of a response in JSON or similar text, which may be nearly valid only."""

import json
import re

from po3d.systems.response_text import LAST

_I = re.IGNORECASE
_KEY = (
    r"[\"']?[\w -]{0,20}(?:\b|_)answer[\w"
    r" ]{0,12}[\"']?|[\"'](?:choice|option|prediction|letter|result|response|output)[\"']"
)
_FIELD = re.compile(
    rf"(?:[{{,\n]\s*|(?=[\"']))(?<!\w)(?:{_KEY})\s*:\s*"
    r"(?:\[?\s*\"((?:[^\"\\]|\\.)*)(?:\"|\Z)|\[?\s*'(.*?)'\s*(?:[\],}\n]|\Z)|([^\s,}\"'\[{][^,}\"'\n]*)(?=[,}\n]|\Z))",
    _I,
)
_JSON = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_ANSWER_KEY = re.compile(
    r"(?:.*[_ -])?answer(?:[_ -].*)?"
    r"|(?:(?:final|selected|chosen|correct|best|my|predicted)[_ -]?)?"
    r"(?:choice|option|prediction|letter|result|response|output)",
    _I,
)
_REASON_KEY = re.compile(
    r".*(?:reason|explan|analy|thought|think|confiden|probab|descri|justif|step|evidence).*", _I
)


def answer_field(text: str) -> tuple[int, str | None]:
    """Return the end and the value of the last answer field."""
    if "{" not in text and "'" not in text and '"' not in text:
        return 0, None
    for result in reversed(list(_JSON.finditer(text))[-LAST:]):
        try:
            content = json.loads(result[0])
        except (ValueError, RecursionError):
            continue
        keys, others = [], []
        for key in content:
            if _ANSWER_KEY.fullmatch(key.strip()):
                keys.append(key)
            if not _REASON_KEY.fullmatch(key):
                others.append(key)
        keys = keys or (others if len(others) == 1 else [])  # {"count": 3}
        keys.sort(key=_rank)
        if keys:
            value = _value(content[keys[-1]])
            texts = []
            for k in keys:
                if k.lower().endswith(("text", "content", "value")):
                    texts.append(_value(content[k]))
            if len(value) == 1 and value.isalpha() and len(texts) == 1:
                value = f"{value}. {texts[0]}"  # a letter and the content of its option
            return result.end(), value
    fields = list(_FIELD.finditer(text))
    if not fields:
        return 0, None
    result = fields[-1]
    value = result[result.lastindex] if result.lastindex else ""
    if result[3] is not None:
        value = {"true": "yes", "false": "no", "null": ""}.get(value.strip().lower(), value)
    return result.end(), value or None


def _rank(key: str) -> tuple[bool, ...]:
    """Return the sorting key of a field's name: the last one is the answer."""
    key = key.lower()
    return "answer" in key, not key.endswith(("text", "content", "value")), "final" in key


def _value(value: object) -> str:
    """Return a JSON value as text; several values as a list."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        value = list(value.values())[:1]
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return "N/A" if value is None or value == "" else str(value)
