"""Augmentation of training pairs: made-up scenes, further sentences, and other words.

A made-up scene (`reader_tables`) has objects that match the program and some distractors. Without a
scene, objects are free-text phrases (`refer`).
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from po3d.language.english import plural
from po3d.language.program import Call, call
from po3d.language.programs.rooms import RoomCall as RoomCall
from po3d.language.read.reader_vocabulary import REFUSALS
from po3d.scene.rooms import COLORS, SYNONYMS
from po3d.systems.general_parser import rewritten
from po3d.training.reader_pairs import SENTENCE_SORTS, TrainingPair, all_text, change_texts
from po3d.training.reader_tables import (
    mixed,
    pick,
    room_names,
    shuffled,
    synthetic_things,
    with_things,
)

# probabilities: the scene uses an object's name as in the question; there is no scene
SYNONYM, BARE = 0.7, 0.25
# probabilities: objects renamed; colours permuted; a change added to a question
OTHER_WORDS, OTHER_COLORS, WITH_OTHER = 0.4, 0.3, 0.4
# probabilities: objects added to or removed from the scene; sentences of other lines added
MIXED, ANEW = 0.6, 0.3


def with_table(
    pair: TrainingPair, random: np.random.Generator, others: Sequence[TrainingPair] = ()
) -> TrainingPair:
    """Augment a pair: make up a scene if it has none, add another sentence, and replace words
    consistently in sentence, scene and program.

    `others`: candidates for the added sentence; they refer to the same scene if the pair has one.
    """
    if not pair.table:
        pair = _tabled(pair, random)
    elif random.random() < 0.5:  # the order of objects carries no information
        pair = replace(pair, inputs=with_things(pair.inputs, shuffled(pair.inputs.things, random)))
    pair = _beside(pair, random, others)
    if pair.table and pair.inputs.kind == "room" and random.random() < MIXED:
        # an added object might change the answer
        closed = not set(REFUSALS).isdisjoint(pair.programs.values())
        quoted_words = _quoted(*pair.programs.values())
        pair = replace(
            pair, inputs=mixed(pair.inputs, all_text(pair.inputs), quoted_words, closed, random)
        )
    if random.random() < OTHER_COLORS:
        pair = renamed(pair, dict(zip(COLORS, shuffled(COLORS, random), strict=True)))
    if pair.inputs.kind != "street" and random.random() < OTHER_WORDS:
        text = all_text(pair.inputs)
        names = []
        for n in dict.fromkeys(_quoted(*pair.programs.values())):
            if n in pair.inputs.names and n in text:
                names.append(n)
        known, words = room_names(), {}
        for n, k in zip(names, random.choice(len(known), len(names), replace=False)):
            if known[int(k)] not in pair.inputs.names:
                words[n] = known[int(k)]
        pair = renamed(pair, words)
    return pair


def _tabled(pair: TrainingPair, random: np.random.Generator) -> TrainingPair:
    """Return the pair with a synthetic scene around its program, or unchanged without one."""
    kind, program = pair.inputs.kind, pair.call()
    if pair.source != "paraphrase":
        if random.random() < BARE:
            return pair
        assert isinstance(program, Call)
        if kind in ("photo", "orbit"):
            program = in_names(program)
        elif kind == "room":
            program = change_texts(program, lambda attribute, t: _table_name(attribute, t, random))
        pair = replace(pair, program=program.text())
    things = synthetic_things(kind, program if isinstance(program, Call) else None, random)
    return replace(pair, inputs=with_things(pair.inputs, things))


def _table_name(attribute: str, text: str, random: np.random.Generator) -> str:
    """Return a synonym of an object's name with probability SYNONYM, as the scene's name for it."""
    return SYNONYMS.get(text, text) if attribute == "name" and random.random() < SYNONYM else text


def in_names(program: Call) -> Call:
    """Replace phrases by filters for name and colour."""
    if program.op == "refer":
        first, _, rest = program.args[0].partition(" ")
        filtered = call(
            "filter", "name", rest if first in COLORS and rest else program.args[0], call("scene")
        )
        return call(
            "unique",
            call("filter", "color", first, filtered) if first in COLORS and rest else filtered,
        )
    return Call(program.op, rewritten(in_names, program))


def _beside(
    pair: TrainingPair, random: np.random.Generator, others: Sequence[TrainingPair]
) -> TrainingPair:
    """Add a random change to a room's question, or a question to a change, and a frame. A pair of
    the bank usually keeps its own sentences, and always if the question refers back to them.
    """
    if pair.inputs.kind != "room" or not others:
        return pair
    from_bank = pair.source == "bank"
    if from_bank and (
        random.random() > ANEW
        or pair.program in REFUSALS
        or _BOUND.search(f"{pair.program} {getattr(pair.inputs, pair.sort)}")
    ):
        return pair
    inputs, also = pair.inputs, dict(pair.also)
    for other in (pick(random, others), pick(random, others)):
        sort = other.sort
        if sort != pair.sort and (
            from_bank or (random.random() < WITH_OTHER and not getattr(inputs, sort))
        ):
            inputs = replace(inputs, **{sort: getattr(other.inputs, sort)})
            if pair.table:  # another generated sentence has no program in this scene's names
                also[sort] = other.program
    return replace(pair, inputs=inputs, also=tuple(also.items()))


# Words that may refer back to another sentence.
_BOUND = re.compile(
    r"\b(changed|before|it|its|they|them|their|that"
    r" one|this|these|those|he|she|him|her|there|now|still|anymore|again)\b",
    re.I,
)


def renamed(pair: TrainingPair, words: dict[str, str]) -> TrainingPair:
    """Replace `words` in all texts of the pair; plurals are replaced as well."""
    words = {old: new for old, new in words.items() if old != new}
    if not words:
        return pair
    forms = {plural(old): plural(new) for old, new in words.items()} | words
    pattern = re.compile(
        rf"\b({'|'.join(map(re.escape, sorted(forms, key=len, reverse=True)))})\b", re.IGNORECASE
    )
    swap = lambda text: pattern.sub(lambda m: forms.get(m[0].lower(), m[0]), text)  # noqa: E731
    a = pair.inputs
    sequences = {
        "options": tuple(map(swap, a.options)),
        "things": tuple(tuple(map(swap, t)) for t in a.things),
    }
    single = {part: swap(getattr(a, part)) for part in SENTENCE_SORTS}
    quoted = lambda program: re.sub(r'"[^"]*"', lambda m: swap(m[0]), program)  # noqa: E731
    also = tuple((sort, quoted(program)) for sort, program in pair.also)
    return replace(
        pair, inputs=replace(a, **single, **sequences), program=quoted(pair.program), also=also
    )


def _quoted(*programs: str) -> list[str]:
    return re.findall(r'"([^"]*)"', "".join(programs))
