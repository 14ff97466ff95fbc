"""Multiple choice as a model is asked it: lettered options."""

from po3d.reasoning.questions import Question

LETTERS = "ABCDEFGH"


def letter(question: Question) -> str:
    """The letter of the right option."""
    return LETTERS[question.options.index(question.answer)]


def lettered(question: Question) -> str:
    """The question with its options below it, a letter each."""
    lines = [f"{letter}. {option}" for letter, option in zip(LETTERS, question.options)]
    return "\n".join([f"Question: {question.text}", "Options:", *lines])
