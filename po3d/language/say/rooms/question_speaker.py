"""Questions about a room, one wording or another for every kind of program that asks something."""

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.casual_questions import CasualQuestions
from po3d.language.say.rooms.casual_ways import CasualWays
from po3d.language.say.rooms.name_questions import NameQuestions
from po3d.language.say.rooms.phrases import NOW, QUESTION_ENDINGS, QUESTION_OPENINGS
from po3d.language.say.rooms.utterance import shortened
from po3d.language.say.rooms.way_questions import WayQuestions


class QuestionSpeaker(CasualQuestions, CasualWays, NameQuestions, WayQuestions):
    def say(self, program: Call) -> str:
        """The marked sentence of a numbered question program."""
        text = getattr(self, f"_{program.op}")(*program.args).strip()
        roll = self.random.random()
        if roll < 0.2:
            text = f"{text} {self.fill(NOW)}"
        elif roll < 0.29:
            text = f"{self.fill(NOW)}, {text}"
        elif roll < 0.41:
            text = f"{self.fill(QUESTION_OPENINGS)} {text}"
        elif roll < 0.48:
            text = f"{text} {self.fill(QUESTION_ENDINGS)}"
        elif roll < 0.5:
            text = f"... {text}"
        return shortened(text + self.pick("?", "?", "?", "?", "", "."), self.random)
