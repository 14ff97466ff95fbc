"""An answer with its explanation, as returned by `Model.ask` and printed by `po3d ask`."""

from dataclasses import dataclass, field
from typing import Any

from po3d.io.text_tables import text as table_text
from po3d.language.read.mending import Mending
from po3d.reasoning.questions import Status
from po3d.scene.display import display_table, room_table
from po3d.scene.table import Scene, to_json
from po3d.scene.vocabulary import shape_name
from po3d.systems.domain_router import DomainMatch
from po3d.systems.explanation import Explanation


@dataclass(frozen=True)
class Answer:
    """An answer with its explanation, or the reason why there is none. `print` shows all of it."""

    question: str
    status: Status
    answer: str | None = None
    probability: float | None = None
    reason: str = ""
    program: str = ""
    explanation: Explanation = field(default_factory=Explanation, repr=False)
    # Interpretations by the general parser, most probable first: each as a sentence, with its
    # answer.
    understood: tuple[tuple[str, str | None], ...] = ()
    # If the status is "abstained": the full answer for each interpretation.
    choices: tuple["Answer", ...] = field(default=(), repr=False)
    # Corrected spelling errors: word, correction.
    mended: tuple[Mending, ...] = ()
    # Nearest training domain of the image, if the estimator detects out-of-distribution images.
    domain_match: DomainMatch | None = None

    @property
    def trace(self) -> tuple[str, ...]:
        """The result of each step of the program."""
        return self.explanation.outcome.steps if self.explanation.outcome else ()

    @property
    def margin(self) -> str:
        """The smallest change of the scene that changes the answer; "" if unknown."""
        return self.explanation.flip

    @property
    def scene(self) -> Scene | None:
        """The scene on which the question was answered: after the change, if there is one."""
        return self.explanation.scene

    def record(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        head = {"question": self.question, "status": self.status, "answer": self.answer}
        if self.understood:
            head["understood"] = []
            for words, answer_text in self.understood:
                head["understood"].append({"question": words, "answer": answer_text})
            for one, choice in zip(head["understood"], self.choices):
                one["program"] = choice.program
        if self.mended:
            head["mended"] = dict(self.mended)
        if self.scene is None:
            return {**head, "reason": self.reason}
        return {
            **head, "probability": self.probability, "reason": self.reason, "program": self.program,
            "trace": list(self.trace), **self.explanation.record, "scene": to_json(self.scene),
            **({} if self.domain_match is None else {"picture": self.domain_match._asdict()}),
        }  # fmt: skip

    def __str__(self) -> str:
        if self.status == "ok":
            lines = [f"answer: {shape_name(self.answer)} (probability {self.probability:.2f})"]
        elif self.status == "abstained" and self.scene is None:
            return self._clarification()
        else:
            lines = [f"no answer: {self.reason}"]
            if self.status == "abstained" and self.choices and self.choices[0].answer:
                likeliest = self.choices[0]
                probability = self.probability or likeliest.probability or 0.0
                lines.append(f"likeliest: {likeliest.answer} (probability {probability:.2f})")
        lines += map(str, self.mended)
        if self.understood:
            lines.append(f"Understood as: {self.understood[0][0]}")
        if self.scene is None:
            return "\n".join([lines[0], *map(str, self.mended)])
        lines += ["", f"program: {self.program}", *(f"  {note}" for note in self.explanation.notes)]
        for step, near in self.explanation.steps:
            lines.append(f"  {step}{f'   [nearest: {near}]' if near else ''}")
        lines += [f"  {self.margin}"] * bool(self.margin)
        touched = self.explanation.edited.touched if self.explanation.edited else frozenset()
        table = room_table(self.scene, touched) if touched else display_table(self.scene)
        domain_lines = [] if self.domain_match is None else [f"  {self.domain_match}"]
        return "\n".join([*lines, "", *domain_lines, table_text(table, 2)])

    def _clarification(self) -> str:
        several = len(self.understood) > 1
        problem, choice_phrase = (
            ("ambiguous", "one of the following") if several else ("unclear", "this")
        )
        lines = [
            f"The question is {problem} ({self.reason}). Did you mean {choice_phrase}?",
            *map(str, self.mended),
        ]
        for number, (words, answer) in enumerate(self.understood, 1):
            then = "" if answer is None else f"  Answer: {shape_name(answer)}"
            lines.append(f"  {number}. {words}{then}")
        return "\n".join(lines)
