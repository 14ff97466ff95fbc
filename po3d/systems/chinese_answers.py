"""Translate a short answer in Chinese word by word, so that the English rules apply to it."""

import re
from collections.abc import Sequence

from po3d.language.grammar import load
from po3d.systems.response_text import unmarked

LONGEST = 400  # characters that are translated
_WORDINGS = load("answers", "patterns")
_ENGLISH = {word: pattern.op.replace("_", " ") for word, pattern in _WORDINGS.meanings("chinese")}
_WORD = re.compile("|".join(sorted(_ENGLISH, key=len, reverse=True)))
_FILLER, _REASON = map(_WORDINGS.expression, ("chinese_filler", "chinese_reason"))
_DENIAL = re.compile("不是[^,.;!?\\s]{0,20},?(?:\\s*而是|(?<=,)\\s*是)")  # "not red but blue"
_SIMPLIFIED = str.maketrans(
    "紅綠藍黃邊側後個為選擇圖張應該顏這體兩輛還無門櫃燈書",
    "红绿蓝黄边侧后个为选择图张应该颜这体两辆还无门柜灯书",
)
_HAN = re.compile("[\u4e00-\u9fff]")
_VERDICTS = {"是": "yes", "是的": "yes", "对": "yes", "否": "no", "不是": "no", "不对": "no"}


def in_chinese(text: str | None) -> bool:
    """Return whether a text has Chinese characters."""
    return bool(text and _HAN.search(text))


def translated(text: str, options: Sequence[str] = ()) -> str | None:
    """Return a cleaned response in English, or only its last line; None if a word is unknown.

    Word order stays. With options that say "behind", the back is behind."""
    lines = []
    for line in text.splitlines():
        if line.strip():
            lines.append(line)
    english = _english(text) or (_english(lines[-1]) if lines else None)
    if english and any("behind" in option for option in options):
        english = re.sub(r"\bback\b", "behind", english)
    return english


def _english(text: str) -> str | None:
    if len(text) > LONGEST:
        return None
    text = text.translate(_SIMPLIFIED)
    bare = unmarked(text)
    if bare in _VERDICTS:
        return _VERDICTS[bare]
    english = _WORD.sub(lambda m: f" {_ENGLISH[m[0]]} ", _REASON.sub("", _DENIAL.sub("它是", text)))
    english = " ".join(_FILLER.sub(" ", english).split())
    return re.sub(r" (?=[.,;:!?])", "", english) if english.isascii() else None
