"""The program dialect of SCOPE: directions relative to a camera, object or imagined observer.

    where(thing("cup"), thing("phone"), camera)             spatial consistency, egocentric
    where(thing("rock"), thing("man"), own(thing("man")))   ... allocentric
    turned("90", thing("cup"), thing("phone"), where(...))  spatial updating, both
    which_view("left", thing("cup"), thing("phone"))        spatial integration, egocentric
    name(nearest(toward("behind", thing("man"))))           ... allocentric

All leaves are quoted: names are open text, directions and angles closed lists.
"""

from po3d.language.dialects import Dialect
from po3d.language.program import Call, Language, ProgramError, Tree, meanings, rows, signatures
from po3d.scene.orbit import LABELS

ANGLES = ("45", "90", "135", "180", "225", "270", "315")
LEAVES: dict[str, tuple[str, ...] | type] = {"direction": LABELS, "angle": ANGLES, "noun": str}
OPERATIONS = rows("programs/scope.txt")


class ScopeTree(Tree):
    """A program in the spelling of SCOPE's files."""

    language = Language(signatures(OPERATIONS), LEAVES, frozenset(LEAVES))


class _Scope(Dialect):
    """Dialect with `turned`, which wraps a question where the language wraps its frame."""

    def _call(self, op: str, *args: Call | str) -> Call:
        if op != "turned":
            return super()._call(op, *args)
        angle, first, second, question = args
        if not isinstance(question, Call) or question.op != "direction":
            raise ProgramError(f"turned takes a label, got {question}")
        start, target, frame, sectors = question.args
        gone = Call("frame", (self._argument_to_core("angle", angle), first, second, frame))
        return Call("direction", (start, target, gone, sectors))

    def from_core(self, program: Call) -> Tree:
        if program.op != "direction" or len(program.args[2].args) != 4:
            return super().from_core(program)
        start, target, frame, sectors = program.args
        *gone, inner = frame.args
        question = Call("direction", (start, target, inner, sectors))
        kinds = ("angle", "object", "object", "label")
        return self.tree("turned", tuple(map(self._argument_from_core, kinds, (*gone, question))))


SCOPE = _Scope(
    "SCOPE's language",
    ScopeTree,
    meanings(OPERATIONS),
    {"direction": {label: label.replace("-", "_") for label in LABELS}},
    ("label", "view", "word"),
)
call, parse_text = SCOPE.call, SCOPE.parse
CAMERA = call("camera")
