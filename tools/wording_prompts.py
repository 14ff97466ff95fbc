"""Write prompts for people who reword training sentences: generated sentences with programs.

    python -m tools.wording_prompts --seed 0 --number 500 --out FILE
        writes FILE.txt (for people) and FILE.jsonl
    python -m tools.wording_prompts --lines --seed 0 --number 6 --out FILE
        the bank's training lines, in 6 files FILE_K.txt

Programs about rooms are sampled for a made-up scene (`wording_programs`) and kept if they have an
answer there. Those about streets, photographs and orbits come from the question generators. A
prompt may contain a wish: another word for an object, a reason for a removal, or a word to avoid.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from po3d.io.cli_errors import guarded
from po3d.io.files import atomic_write
from po3d.io.seeding import rng
from po3d.language.grammar import GrammarError, load, spaced
from po3d.language.program import Call, call
from po3d.language.say.plain import say
from po3d.training.reader_pairs import in_names, orbit_pair, photo_pair, records, street_pair, tables
from po3d.training.reader_tables import synthetic_things as other_things
from tools.wording_programs import FIXED, Programs, Random, pick, synthetic_room

# share of prompts; of the others streets are half, photographs and orbits a quarter each
ROOMS = 0.7
# number of prompts of each kind per scene
OF_A_ROOM = {"change": 4, "unreal": 2, "frame": 4, "question": 4, "unknown": 1}
LONGEST = 420  # characters of a program
WHERE = {
    "front": "straight in front of you", "behind": "right behind you", "left": "to your left", "right": "to your right",
    "front_left": "ahead of you on the left", "front_right": "ahead of you on the right", "behind_left": "behind you on the left",
    "behind_right": "behind you on the right",
}  # fmt: skip
CORNERS = {
    "front_left": "in the front left corner", "front_right": "in the front right corner", "behind_left": "in the back left corner",
    "behind_right": "in the back right corner", "front": "at the front of the room", "behind": "at the back of the room",
    "left": "on the left side of the room", "right": "on the right side of the room",
}  # fmt: skip
UNREAL = (
    "somebody wanted to and then did not", "it is only planned", "it was tried and failed", "it was only a joke or a dream",
    "it was forbidden", "it nearly happened", "it was done and undone again, all is as before", "somebody claims it, but it isn't so",
    "somebody forgot to", "it was started and given up, nothing has moved", "somebody asked for it and was told no",
)  # fmt: skip
BESIDES = "mention in passing something else that somebody meant to do and did not"
GONE = (
    "it was sold", "it was lent to somebody", "it was thrown out", "it was carried to another room", "it was stolen", "it broke",
    "it was given away", "it was picked up by its owner", "it was used up, eaten or worn out (if it can be)", "it was put in the cellar",
)  # fmt: skip


# --- prompts --------------------------------------------------------------------------------------


def _name(thing: Call) -> str:
    return _tidy(load("plain").say("object", thing, lambda n: 0, {}).text())


def _many(objects: Call) -> str:
    return _tidy(load("plain").say("many", objects, lambda n: 0, {}).text())


def _tidy(text: str) -> str:
    text = (
        spaced(text)
        .replace(", in the room", "")
        .replace("behind side", "back side")
        .replace("_", " ")
        .replace("behind left", "back left")
    )
    text = text.replace("behind right", "back right").replace("the one of 1 ", "one of the ")
    for number, word in enumerate(("one", "two", "three"), 1):
        text = re.sub(rf"\b{number} of the", f"{word} of the", text)
    text = re.sub(r"\b(one of the [^,.]*?) have been", r"\1 has been", text)
    return text[:1].upper() + text[1:] if text.endswith((".", "?")) else text


def program_text(sort: str, program: Call) -> str:
    """Return the program in plain words: those of its grammar, with exceptions where these are
    awkward.
    """
    if sort == "frame":
        return _frame_text(program)
    args = program.args
    match program.op:
        case "equal" if all(isinstance(a, Call) and a.op == "count" for a in args):
            (first, *_), (second, *_) = (a.args for a in args)
            if second == 0:
                return f"Are there no {_many(first)}?"
            if second == 2:
                return f"Are both {' and '.join(map(_name, first.args[2].args))} {first.args[1]}?"
            if isinstance(first, Call) and first.op == "filter" and first.args[2] == second:
                return f"Are all {_many(second)} {first.args[1]}?"
    return _tidy(say(program))


def fits(sort: str, program: Call) -> bool:
    """Return whether a program can be phrased and is not too long."""
    try:
        return len(program.text()) < LONGEST and bool(program_text(sort, program))
    except GrammarError:
        return False


def _frame_text(program: Call) -> str:
    *way, thing = program.args
    if not way:
        word = next(c.args[1] for c in thing.calls() if c.op == "filter" and c.args[0] == "name")
        if word.split()[-1] in FIXED:
            return f"You stand with your back to {_name(thing)} (or have just come in there), looking into the room."
        return f"You sit on (or stand at) {_name(thing)} and look the way it faces."
    if isinstance(way[0], Call):
        return f"You stand (or sit) at {_name(way[0])} and look towards {_name(thing)}."
    return f"You look so that {_name(thing)} is {WHERE[way[0]]}."


def wish(sort: str, program: Call, random: Random) -> str:
    """Return additional wishes for the wording, possibly none."""
    names = [c.args[1] for c in program.calls() if c.op == "filter" and c.args[0] == "name"]
    wishes = []
    if names and random.random() < 0.35:
        wishes.append(f"call the {pick(random, names)} by another word or describe it, as people do")
    parts = {c.op for c in program.calls()}
    if sort == "change" and "remove" in parts and random.random() < 0.6:
        wishes.append(f"don't say 'removed': {pick(random, GONE)}")
    if sort == "change" and "set" in parts and random.random() < 0.5:
        wishes.append("tell what somebody did or what happened, so that it is so now")
    if sort == "change" and parts & {"move", "swap"} and random.random() < 0.3:
        wishes.append("say who did it or why, in passing")
    if sort == "change" and not wishes and random.random() < 0.2:
        wishes.append(BESIDES)
    if sort == "frame" and isinstance(way := program.args[0], str) and random.random() < 0.6:
        wishes.append(f"not where you look, but where it stands in the room: {CORNERS[way]}")
    elif sort == "frame" and random.random() < 0.4:
        wishes.append(
            pick(
                random,
                (
                    "speak as 'I'",
                    "say it as an order",
                    "say what is the front or the back of the room",
                    "one short clause",
                ),
            )
        )
    if sort == "question" and random.random() < 0.2:
        wishes.append(
            pick(
                random,
                (
                    "as a remark or an order, not a question",
                    "very short",
                    "with a bit of small talk around it",
                    "politely",
                ),
            )
        )
    return "; ".join(wishes)


def unknown(name: str, random: Random) -> dict:
    """Return a prompt for an unanswerable question, about an existing name or about an object that
    is not in the scene.
    """
    if random.random() < 0.5:
        says = "Ask for the colour, the place or the state of something that is not in the list, as if it were there."
    else:
        says = (
            f"Ask something about the {name} that nobody can know from colours, sizes, places and states: a price, an owner, a maker, a smell, "
            "a reason, a time, what it says, whether somebody likes it."
        )
    return {"kind": "room", "sort": "question", "program": "none", "says": says, "wish": ""}


def of_rooms(seed: int, number: int) -> Iterator[dict]:
    """Yield prompts about rooms."""
    count = 0
    for index in range(number):
        random = rng(seed, "prompts-room", index)
        scene = synthetic_room(random)
        room = Programs(scene, random)
        things = [[w for w in (t.name, t.color, t.material, t.state) if w] for t in room.things]
        table = {"table": f"{seed}-{index}", "things": things}
        for sort in (s for s, share in OF_A_ROOM.items() for _ in range(share)):
            if sort == "unknown":
                yield table | unknown(pick(random, room.things).name, random)
            else:
                real = {"unreal": "change"}.get(sort, sort)
                program = room.sample(real, lambda program: fits(real, program))  # noqa: B023
                says = program_text(real, program).replace("the viewer", "you")
                program_and_wish = (program.text(), wish(real, program, random))
                if sort == "unreal":
                    program_and_wish = ("none", f"it did NOT happen: {pick(random, UNREAL)}")
                yield {
                    **table,
                    "kind": "room",
                    "sort": real,
                    "program": program_and_wish[0],
                    "says": says,
                    "wish": program_and_wish[1],
                }
            count += 1
            if count == number:
                return


def sunk(program: Call) -> Call:
    """Move filters by shape next to the scene, as in natural wording: "rubber cars to the left",
    not "what is left and a car".
    """
    args = tuple(sunk(a) if isinstance(a, Call) else a for a in program.args)
    if program.op == "filter" and args[0] == "shape":
        inner = args[2]
        if inner.op in ("filter", "relate", "same") and not (
            inner.op == "filter" and inner.args[0] == "shape"
        ):
            return Call(inner.op, (*inner.args[:-1], sunk(call("filter", "shape", args[1], inner.args[-1]))))
    return Call(program.op, args)


def of_others(seed: int, number: int) -> Iterator[dict]:
    """Yield prompts about streets, photographs and orbits: programs of the question generators in
    plain words.
    """
    makers = (street_pair, street_pair, photo_pair, orbit_pair)
    wishes = set()
    for index in range(number):
        for attempt in range(50):
            pair = makers[index % len(makers)](seed, "prompts", index + attempt * number)
            program = sunk(pair.call()) if pair.inputs.kind == "street" else in_names(pair.call())
            says = program_text("question", program)
            if (
                len(says) < 170
                and says not in wishes
                and "shaped like" not in says
                and " or " not in says.partition("?")[0][40:]
            ):
                break
        wishes.add(says)
        random = rng(seed, "prompts-wish", index)
        note = f" (choose from: {', '.join(pair.inputs.options)})" if pair.inputs.options else ""
        yield {
            "table": f"{seed}-{pair.inputs.kind}-{index}", "kind": pair.inputs.kind, "sort": "question",
            "things": [list(thing) for thing in other_things(pair.inputs.kind, program, random, 1.0)],
            "program": program.text(), "options": list(pair.inputs.options),
            "says": says.replace("the viewer", "the camera") + note,
            "wish": wish("question", program, random) if pair.inputs.kind != "street" else "",
        }  # fmt: skip


def prompts(seed: int, number: int) -> list[dict]:
    """Return prompts, grouped by room."""
    rooms = round(ROOMS * number)
    items = [*of_rooms(seed, rooms), *of_others(seed, number - rooms)]
    return [{"n": n, **prompt} for n, prompt in enumerate(items)]


ABOUT = {
    "room": "Room with",
    "street": "Toy vehicles on a floor (left, right, in front and behind are as the camera sees them, unless said otherwise)",
    "photo": "A photograph",
    "orbit": "Pictures of the same things from cameras all around them",
}


HEADER = """Say each numbered sentence in your own voice, meaning exactly the same, as people talk about a scene they know. A "change" tells what
happened before; a "frame" where you stand or which way you look; a "question" asks. Above each group: what there is. Things may be called
by other words, as long as it stays clear which is meant. In [brackets]: a wish, which may be left unheeded where it makes no sense."""


def written(items: Sequence[dict]) -> str:
    """Format the prompts for people: a line with a scene's objects, then a numbered line for each
    prompt.
    """
    lines, last = [HEADER], None
    for prompt in items:
        table = prompt["table"] if prompt["things"] else prompt["kind"]
        if table != last:
            lines.append(
                f"\n== {ABOUT[prompt['kind']]}{': ' + ', '.join(map(_listed, prompt['things'])) if prompt['things'] else ''}"
            )
            last = table
        wanted = f"   [{prompt['wish']}]" if prompt["wish"] else ""
        lines.append(f"{prompt['n']}. {prompt['sort']}: {prompt['says']}{wanted}")
    return "\n".join(lines).strip() + "\n"


def _listed(thing: Sequence[str]) -> str:
    """Describe an object: "white wood closed door"."""
    name, *looks = thing
    return " ".join([*(w for w in looks if w not in name), name])


def of_lines(seed: int, number: int) -> list[str]:
    """Format the lines of the bank's training part for people, grouped by scene, as `number` texts
    of similar length; two thirds of them are about rooms.
    """
    scenes, lines = tables("train"), records("sentences", "train")
    parts: list[list[str]] = [[] for _ in range(number)]
    names = sorted(scenes)
    rooms = max(1, round(number * 2 / 3))
    for k in rng(seed, "prompts-lines", 0).permutation(len(names)):
        scene = scenes[names[k]]
        of = parts[:rooms] if scene["kind"] == "room" else parts[rooms:] or parts
        things = Counter(
            " ".join(filter(None, (t["state"], t["color"], t["material"], t["name"])))
            for t in scene["objects"]
        )
        text = [
            f"\n== {scene['kind']}: {scene['about']}: "
            + ", ".join(f"{n} x {t}" if n > 1 else t for t, n in things.items())
        ]
        for n, line in enumerate(lines):
            if line["scene"] == scene["id"]:
                sentences = [
                    f"{sort}: {line[sort]}" for sort in ("change", "frame", "question") if line[sort]
                ]
                options = [f"options: {' / '.join(line['options'])}"] if line["options"] else []
                text.append(f"{n}. " + " | ".join(sentences + options))
        min(of, key=lambda part: sum(map(len, part))).append("\n".join(text))
    return ["\n".join([HEADER, *part]) + "\n" for part in parts]


def main() -> int:
    """Run the command line; return the exit code: 2 on errors."""
    parser = argparse.ArgumentParser("python -m tools.wording_prompts", description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--number", type=int, default=500, help="of prompts, or of files")
    parser.add_argument("--lines", action="store_true", help="the bank's training lines to be reworded")
    parser.add_argument("--out", type=Path, required=True, help="without its ending")
    a = parser.parse_args()

    def run() -> None:
        if a.lines:
            for k, text in enumerate(of_lines(a.seed, a.number), 1):
                with atomic_write(a.out.with_name(f"{a.out.name}_{k}.txt")) as file:
                    file.write(text)
            return
        items = prompts(a.seed, a.number)
        with atomic_write(a.out.with_suffix(".txt")) as file:
            file.write(written(items))
        with atomic_write(a.out.with_suffix(".jsonl")) as file:
            file.writelines(json.dumps(prompt, ensure_ascii=False) + "\n" for prompt in items)

    return guarded(run)


if __name__ == "__main__":
    raise SystemExit(main())
