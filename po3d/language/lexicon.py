"""Words for things: what they are other words for, and what they are kinds of.

`nouns.txt` is po3d's own table of everyday nouns, a tree of kinds. A noun means the things of its own kind and of all
kinds below ("vehicle": cars, buses ...). It may also mean a thing of a kind above it, because a table is coarser than
people are ("man" of a row called "person"). Words that the table lacks are compared by their last word (a "folding
chair" is a chair) and then by spelling, for slips of the pen ("bookshlef").
"""

import functools
from importlib import resources
from typing import NamedTuple

from po3d.io.errors import InputError
from po3d.io.spelling import alike
from po3d.language.english import singular

# How well a noun fits a row of a kind. Ours; only their order and rough size matter to beliefs.
SAME, BELOW, ABOVE, SPELLED = 1.0, 0.9, 0.7, 0.8
COUSIN = 0.4  # of two kinds of person: what one does, and whether it is a man, a woman or a child
AGES = frozenset(("man", "woman", "child", "boy", "girl", "baby"))
GROWING = (frozenset(("girl", "woman")), frozenset(("boy", "man")))  # said of the same person
ALIKE = 0.84  # of difflib's ratio, above which two words are one with a slip
ROOT = "thing"


class Lexicon(NamedTuple):
    """Words (lower case, singular or plural as written) and kinds, by the first word of their line."""

    kinds: dict[str, tuple[str, ...]]  # word -> the kinds that it names
    parents: dict[str, frozenset[str]]  # kind -> the kinds just above it
    longest: int  # words of the longest entry
    compounds: dict[str, str]  # each word as `joined` writes it -> the word


@functools.cache
def lexicon() -> Lexicon:
    """The table, read once."""
    text = (resources.files("po3d.language") / "nouns.txt").read_text(encoding="utf-8")
    kinds: dict[str, list[str]] = {}
    parents: dict[str, set[str]] = {}
    above: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        depth, odd = divmod(len(line) - len(line.lstrip()), 2)
        if odd or depth > len(above):
            raise InputError(f"nouns.txt, line {number}: indented by {len(line) - len(line.lstrip())} blanks")
        words = [word.strip() for word in line.split("|")]
        kind = words[0]
        del above[depth:]
        parents.setdefault(kind, set()).update(above[-1:])
        for word in words:
            named = kinds.setdefault(word, [])
            if kind not in named:
                named.append(kind)
        above.append(kind)
    return Lexicon(
        {word: tuple(named) for word, named in kinds.items()},
        {kind: frozenset(names) for kind, names in parents.items()},
        max(len(word.split()) for word in kinds),
        {joined(word): word for word in reversed(kinds)},
    )


@functools.lru_cache(maxsize=20_000)
def kinds_of(noun: str) -> tuple[str, ...]:
    """The kinds that a noun names: as it stands, in the singular, or by its last words; () for a word unknown."""
    words = noun.lower().replace("-", " ").split()
    for start in range(max(0, len(words) - lexicon().longest), len(words)):
        tail = " ".join(words[start:])
        if found := _entry(tail):
            return found
    return ()


def _entry(noun: str) -> tuple[str, ...]:
    """The kinds that the whole noun names: as it stands, in the singular, or as a compound written together or apart."""
    kinds, _, _, compounds = lexicon()
    for word in (noun, singular(noun)):
        if named := kinds.get(word) or kinds.get(compounds.get(joined(word), "")):
            return named
    return ()


def joined(noun: str) -> str:
    """A noun without blanks and hyphens: compounds are written together or apart."""
    return noun.replace("-", "").replace(" ", "")


def same(noun: str, name: str) -> bool:
    """Whether a noun is a table's name, or another word for it; a compound may be written together or apart."""
    noun, name = noun.lower(), name.lower()
    if joined(name) in (joined(noun), joined(singular(noun))):
        return True
    return not set(_entry(noun)).isdisjoint(_entry(name))


@functools.lru_cache(maxsize=20_000)
def ancestors(kind: str) -> frozenset[str]:
    """All kinds above a kind."""
    found: set[str] = set()
    todo = list(lexicon().parents.get(kind, ()))
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += lexicon().parents.get(one, ())
    return frozenset(found)


@functools.lru_cache(maxsize=50_000)
def fits(noun: str, name: str) -> float:
    """How well a noun fits a thing that the table calls `name`, from 0 (not at all) to 1 (the same word or another word
    for it)."""
    noun, name = noun.lower(), name.lower()
    if not noun or not name:  # a table of streets has shapes alone
        return 0.0
    if joined(name) in (joined(noun), joined(singular(noun))):
        return SAME
    wanted, own = kinds_of(noun), kinds_of(name)
    if wanted and own:
        return max(_kin(a, b) for a in wanted for b in own)
    if not wanted and not own and singular(noun.split()[-1]) == singular(name.split()[-1]):
        return BELOW
    if not wanted:
        return SPELLED * _slip(noun, name)
    return 0.0


def _kin(noun: str, name: str) -> float:
    if noun == name:
        return SAME
    if noun in ancestors(name):
        return BELOW
    if name in ancestors(noun) and name != ROOT:
        return ABOVE
    if "person" in ancestors(noun) and "person" in ancestors(name):
        return COUSIN if len({noun, name} & AGES) == 1 or frozenset((noun, name)) in GROWING else 0.0
    return 0.0


def _slip(word: str, name: str) -> float:
    """1 when an unknown word is a known name with a slip of the pen, else 0; also by the name's other words."""
    others = {name} | {w for w, kinds in lexicon().kinds.items() if set(kinds) & set(kinds_of(name))}
    return float(any(alike(other, [word], ALIKE) for other in others))
