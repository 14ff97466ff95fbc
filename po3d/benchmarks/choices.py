"""Multiple-choice questions with lettered options. An empty option skips its letter."""

from collections.abc import Sequence

from po3d.reasoning.questions import Question

LETTERS = "ABCDEFGH"


def letters_of(question: Question) -> str:
    """Return the letters of the question's options, in order: "ACD" if B is empty."""
    return getattr(question, "letters", "") or LETTERS[: len(question.options)]


def by_letter(question: Question) -> dict[str, str]:
    """Return the options by letter."""
    return dict(zip(letters_of(question), map(str, question.options), strict=True))


def gapped(question: Question) -> list[str]:
    """Return the options from A to the last letter, "" for a letter without an option."""
    return filled(by_letter(question))


def filled(options: dict[str, str]) -> list[str]:
    """Convert options by letter into a list from A on, "" for a letter without an option."""
    filled = [options.get(letter, "") for letter in LETTERS]
    while filled and not filled[-1]:
        filled.pop()
    return filled


def letter(question: Question) -> str:
    """Return the letter of the correct option."""
    return letters_of(question)[question.options.index(question.answer)]


def lettered(question: Question) -> str:
    """Return the question text followed by its lettered options, one per line."""
    lines = [f"{letter}. {option}" for letter, option in by_letter(question).items()]
    return "\n".join([f"Question: {question.text}", "Options:", *lines])


def columns(questions: Sequence[Question]) -> str:
    """Return the letters that a table of these questions needs."""
    return LETTERS[: max((len(gapped(q)) for q in questions), default=0)]
