"""Things said loosely, and the random talk around them: what LooseChanges and LooseQuestions have in common."""

from po3d.language.programs.rooms import Call
from po3d.language.say.rooms.clauses import Clauses
from po3d.language.say.rooms.speaker import MADE_OF, Speaker
from po3d.language.say.rooms.utterance import mark

PART = 0.04  # share of materials that are said of a part, "the chair with the leather seat"


class LooseThings(Speaker):
    @property
    def talk(self) -> Clauses:
        return Clauses(self.random)

    def _having(self, attribute: str, value: str, inner: Call, many: bool) -> str:
        if attribute != "material" or many or not self.chance(PART):
            return super()._having(attribute, value, inner, many)
        stuff = mark(value, MADE_OF.get(value, value))
        part = self.fill(
            "with (the|a|its) {m} (seat|top|frame|legs|surface|cover|finish|back|shade)", m=stuff
        )
        return f"{self.head(inner, many)} {part}"

    def thing(self, program: Call) -> str:
        if program.op != "support" or program == self.before or not self.chance(0.3):
            return super().thing(program)
        return self.fill(
            "the (desk|table|cabinet|bed|counter|shelf|dresser|thing|furniture) (carrying|holding|bearing|supporting|below|"
            "that (carries|holds|bears|supports)) {a}",
            a=self.thing(program.args[0]),
        )
