"""Multiple choice as a model is asked it: lettered options. An empty option leaves its letter out."""

from collections.abc import Sequence

from po3d.reasoning.questions import Question

LETTERS = "ABCDEFGH"


def letters_of(question: Question) -> str:
    """The letters of the question's options, in their order: "ACD" where B is empty."""
    return getattr(question, "letters", "") or LETTERS[: len(question.options)]


def by_letter(question: Question) -> dict[str, str]:
    """The options by their letters."""
    return dict(zip(letters_of(question), map(str, question.options), strict=True))


def gapped(question: Question) -> list[str]:
    """The options from A to the last letter, "" for a letter without one."""
    return filled(by_letter(question))


def filled(options: dict[str, str]) -> list[str]:
    """Options by their letters as a list from A on, "" for a letter without one."""
    last = max((LETTERS.index(letter) for letter, option in options.items() if option), default=-1)
    return [options.get(letter, "") for letter in LETTERS[: last + 1]]


def letter(question: Question) -> str:
    """The letter of the right option."""
    return letters_of(question)[question.options.index(question.answer)]


def lettered(question: Question) -> str:
    """The question with its options below it, a letter each."""
    lines = [f"{letter}. {option}" for letter, option in by_letter(question).items()]
    return "\n".join([f"Question: {question.text}", "Options:", *lines])


def columns(questions: Sequence[Question]) -> str:
    """The letters that a table of the questions needs."""
    return LETTERS[: max((len(gapped(q)) for q in questions), default=0)]
