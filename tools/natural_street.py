"""Evaluate the parser on human-written questions: `python -m tools.natural_street dev` (or `dev2`).

Use `test` only once, at the end. The bank (data/natural/) contains hand-written questions with gold
programs. Parses are judged by their meaning: predicted and gold program run on equal random
ground-truth scenes, and a question is correct if the answers agree on every scene on which the gold
program has one (with answers spread as evenly as the scenes allow).
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from tqdm import tqdm

from po3d.io.checkpoint import git_revision, locate
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import read_jsonl, write_json
from po3d.io.paths import NATURAL as BANK
from po3d.io.seeding import rng
from po3d.language.programs.street import StreetProgram, parse_text
from po3d.language.read.parse import Parse
from po3d.language.read.street_parser import Parser
from po3d.reasoning.packing import pack_programs
from po3d.reasoning.questions import Task
from po3d.reasoning.street_batched import run_batch
from po3d.reasoning.street_tables import Tables, pack_tables
from po3d.scene.street import AXES, camera, extent, origin_height
from po3d.scene.table import ObjectState, Scene, sure
from po3d.synthesis.street.layouts import sample_layout

TABLES = 6000
TRIED = 24  # scenes per question
OCCLUDED = 0.4  # share of occluded objects, about as in the twin


def random_table(seed: int, index: int) -> Scene:
    """Return a random ground-truth scene by the benchmark's placement rules; occlusions are random,
    because no image is rendered."""
    r = rng(seed, "natural", index)
    layout = sample_layout(r, split="test", look="studio")
    objects = tuple(
        ObjectState(
            sure(shape=o.shape, color=o.color, size=o.size, material=o.material),
            (o.x, o.y, origin_height(o.shape, o.size)), o.heading, tuple(extent(o.shape, o.size)),
        )
        for o in layout.objects
    )  # fmt: skip
    n = len(objects)
    hidden = r.random(n) < OCCLUDED
    by = (np.arange(n) + r.integers(1, n, n)) % n
    occluders = tuple({int(by[i]): 1.0} if hidden[i] else {} for i in range(n))
    return Scene(objects, AXES, "gt", camera(layout.jitter), occluders)


def with_mentions(program: StreetProgram, tables: Sequence[Scene], seed: int) -> list[Scene]:
    """Return scenes that are likely to contain what the program mentions: in half of them, one
    object takes the values of each chain of filters. A program about "the red bus" seldom has an
    answer on purely random scenes."""
    chains: list[dict[str, str]] = []
    for k, step in enumerate(program.steps):
        last = k + 1 == len(program.steps) or program.steps[k + 1].op != "filter"
        if step.op == "filter" and last:
            chain, j = {}, k
            while program.steps[j].op == "filter":
                chain[program.steps[j].args[0]] = program.steps[j].args[1]
                j = program.steps[j].inputs[0]
            chains.append(chain)
    out = []
    for index, table in enumerate(tables):
        r = rng(seed, "mentions", index)
        objects = list(table.objects)
        for chain, i in zip(chains, r.permutation(len(objects))):
            wanted = {a: v for a, v in chain.items() if a in ("shape", "color", "size", "material")}
            if wanted.get("shape") in ("car", "bus", "motorbike", "aeroplane", "bicycle"):
                wanted.pop("shape")
            state = objects[i]
            beliefs = dict(state.beliefs) | sure(**wanted)
            shape, size = max(beliefs["shape"]), max(beliefs["size"])
            objects[i] = replace(
                state, beliefs=beliefs, extent=tuple(extent(shape, size)),
                position=(*state.position[:2], origin_height(shape, size)),
            )  # fmt: skip
        out.append(replace(table, objects=tuple(objects)) if index % 2 else table)
    return out


def answers(program: StreetProgram, batch: Tables, count: int, task: Task) -> np.ndarray:
    """Return (count,) answer strings, None where the program has no answer."""
    packed = pack_programs([program.call] * count, range(count), task)
    return np.array(run_batch(batch, packed).answers(), dtype=object)


def judge(
    parse: Parse, gold: StreetProgram, task: Task, tables: Sequence[Scene], seed: int
) -> tuple[str, int]:
    """Return ("right" | "wrong" | "unparsed" | "untested", number of scenes)."""
    scenes = with_mentions(gold, tables, seed)
    batch = pack_tables([scene.certain() for scene in scenes])
    wanted = answers(gold, batch, len(scenes), task)
    rows = _spread(wanted)
    if parse.program is None:
        return "unparsed", len(rows)
    if not len(rows):
        return "untested", 0
    got = answers(parse.program, batch, len(scenes), task)
    return ("right" if (got[rows] == wanted[rows]).all() else "wrong"), len(rows)


def _spread(wanted: np.ndarray) -> np.ndarray:
    """Return up to TRIED rows with an answer, taking rarer answers first in turn."""
    groups = {a: np.flatnonzero(wanted == a) for a in sorted({a for a in wanted if a is not None})}
    rows: list[int] = []
    for k in range(TRIED):
        rows += [int(g[k]) for g in groups.values() if k < len(g)]
    return np.array(rows[:TRIED], int)


def run(split: str, checkpoint: str, seed: int, out: str) -> None:
    items = list(read_jsonl(BANK / f"pulsecheck457_{split}.jsonl.bz2", "natural question bank"))
    parser = Parser.from_checkpoint(locate(checkpoint))
    tables = [random_table(seed, i) for i in tqdm(range(TABLES), desc="tables")]
    parses = parser.parse([item["question"] for item in items])
    rows = []
    for item, parse in zip(tqdm(items, desc="judging"), parses):
        r = rng(seed, "subset", len(rows)).choice(TABLES, 1500, replace=False)
        outcome, tried = judge(
            parse, parse_text(item["program"]), item["task"], [tables[k] for k in r], seed
        )
        rows.append(
            item
            | {
                "outcome": outcome,
                "tables": tried,
                "parsed": str(parse.program or ""),
                "why": parse.reason,
            }
        )
    print(f"{'task':18} {'n':>4} {'right %':>8} {'unparsed %':>11} {'wrong %':>8} {'untested':>9}")
    for name in [*sorted({row["category"] for row in rows}), "all"]:
        part = [row for row in rows if name in (row["category"], "all")]
        tested = [row for row in part if row["outcome"] != "untested"]
        share = {
            o: 100 * sum(row["outcome"] == o for row in tested) / max(len(tested), 1)
            for o in ("right", "unparsed", "wrong")
        }
        print(
            f"{name:18} {len(part):4} {share['right']:8.1f} {share['unparsed']:11.1f}"
            f" {share['wrong']:8.1f} {len(part) - len(tested):9}"
        )
    if split != "test":  # the test questions are not printed
        for row in rows:
            if row["outcome"] != "right":
                print(
                    f"{row['outcome']:9} {row['question']}\n{'':10}gold  "
                    f" {row['program']}\n{'':10}parsed {row['parsed']} {row['why']}"
                )
    if out:
        write_json(
            out,
            {
                "split": split,
                "seed": seed,
                "git": git_revision(),
                "outcomes": {r["id"]: r["outcome"] for r in rows},
            },
        )


def main() -> int:
    arguments = argparse.ArgumentParser(
        prog="python -m tools.natural_street", description=__doc__.split("\n")[0]
    )
    arguments.add_argument("split", choices=("dev", "dev2", "test"))
    arguments.add_argument(
        "--checkpoint", default="street_parser", help="name of a shipped checkpoint, or a path"
    )
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--out", default="", help="JSON file to write with all outcomes")
    a = arguments.parse_args()
    if a.seed < 0:
        raise InputError(f"--seed {a.seed} should be at least 0")
    return guarded(lambda: run(a.split, a.checkpoint, a.seed, a.out))


if __name__ == "__main__":
    raise SystemExit(main())
