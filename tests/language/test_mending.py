"""Misspelt words: what is mended, and that the bank's words are left as they are."""

import pytest

from po3d.io.paths import ROOT
from po3d.language.read.mending import Mending, mended
from po3d.systems.general_parser import there
from po3d.training.reader_pairs import records, tables

NAMES = (
    "refrigerator",
    "brown chair",
    "coffee table",
    "mower",
    "light",
    "printer",
    "horse",
    "kneeler",
    "baker",
)


def plain(word: str) -> bool:
    return word in {
        "the",
        "lower",
        "right",
        "whose",
        "broom",
        "kneel",
        "bake",
        "which",
        "is",
        "by",
        "of",
        "print",
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "is the refridgerator by the chiar or the kettle",
            "is the refrigerator by the chair or the kettle",
        ),
        ("Wich tabel is behnd it?", "which table is behind it?"),
        ("the lower print, right of whose broom", "the lower print, right of whose broom"),
        ("lowers, printed, righted, kneeling, bakes", "lowers, printed, righted, kneeling, bakes"),
        ("a café by the façade", "a café by the façade"),
    ],
)
def test_whole_words_that_no_vocabulary_has_are_mended(text, found):
    assert mended(text, NAMES, plain)[0] == found


def test_what_was_mended_is_reported_once():
    text, report = mended("the chiar by the other chiar", NAMES, plain)
    assert (text, report) == ("the chair by the other chair", (Mending("chiar", "chair"),))
    assert str(report[0]) == '"chiar" is interpreted as "chair"'


@pytest.mark.skipif(not there(), reason="the extra reader is not installed")
def test_no_correct_word_of_the_training_bank_changes():
    from po3d.language.read.reader import encoder_folder
    from po3d.language.read.reader_tokens import WordPieces

    known = WordPieces.from_file(encoder_folder() / "vocab.txt").index.__contains__
    folder = ROOT / "data" / "wording"
    names = {
        scene: tuple(dict.fromkeys(o["name"] for o in table["objects"]))
        for scene, table in tables("train", folder).items()
    }
    lines = records("sentences", "train", folder)
    texts = {
        (line["scene"], line[sort])
        for line in lines
        for sort in ("question", "change", "frame")
        if line[sort]
    }
    assert len(texts) > 10_000
    changed = {tuple(one) for scene, text in texts for one in mended(text, names[scene], known)[1]}
    assert changed == {
        ("facin", "facing"),
        ("washin", "washing"),
    }  # as one of the hands spells them
