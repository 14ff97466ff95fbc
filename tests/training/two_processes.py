"""A script that trains on two processes, as `trainer=ddp` does but on the CPU: `python two_processes.py OUT JOB`.

JOB is JSON: `kinds` (of tiny_trainings) and `steps`; `shards`: a folder that is trained on in place of a kind's own samples, read
by `loaders` processes; `kill`, [rank, step]: that process is killed when it comes to that step.

OUT/KIND/ gets what `train` writes, and the numbers that each process read: RANK.json. OUT/RANK.pid names the processes.
OUT/RANK.written names what each wrote below OUT/KIND, and for shards OUT/RANK.seen has a line for each step: its number, its pictures."""

import json
import os
import signal
import sys
from pathlib import Path

from coloured_shards import number
from tiny_trainings import SIZES, few_words, run

from po3d.io.files import write_json
from po3d.training import parser, room_parser
from po3d.training.estimator import EstimatorModule
from po3d.training.shards import ShardData
from po3d.training.stream import BatchStream

RANK = int(os.environ.get("LOCAL_RANK", 0))
WRITES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate", "os.symlink", "os.link"}


def note_files(out: Path, kinds: list[str]) -> None:
    """Write down which files of a training this process opens for writing, makes, moves or removes."""
    notes = os.open(out / f"{RANK}.written", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    places = tuple(str(out / kind) for kind in kinds)

    def heard(event: str, given: tuple) -> None:
        if event == "open":
            path, mode, flags = given
            writes = (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or set(mode or "") & set("wax+")
        elif event in WRITES:
            path, writes = given[0], True
        else:
            return
        if writes and isinstance(path, str | os.PathLike) and os.path.abspath(path).startswith(places):
            os.write(notes, f"{event} {path}\n".encode())

    sys.addaudithook(heard)


def note_steps(out: Path, kill: list[int] | None) -> None:
    """Write down which pictures come to which step, and be killed at one."""
    plain = EstimatorModule.training_step

    def step(self, batch, index):
        if kill == [RANK, self.global_step]:
            os.kill(os.getpid(), signal.SIGKILL)
        seen = [number(pixels) for pixels in batch["image"].permute(0, 2, 3, 1).numpy()]
        with open(out / f"{RANK}.seen", "a") as file:
            file.write(json.dumps([self.global_step, seen]) + "\n")
        return plain(self, batch, index)

    EstimatorModule.training_step = step


def note_reading() -> list[list[int]]:
    """What the stream of samples gives, as it is read."""
    read: list[list[int]] = []
    plain = BatchStream.__iter__

    def noted(self):
        for numbers in plain(self):
            read.append(numbers)
            yield numbers

    BatchStream.__iter__ = noted
    return read


def main(out: Path, kinds: list[str], steps: int, shards: str = "", loaders: int = 0, kill=None) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{RANK}.pid").write_text(str(os.getpid()))
    for module, words in zip((parser, room_parser), few_words(), strict=True):
        module.vocabulary = words
    note_files(out, kinds)
    read = note_reading()
    if shards:
        note_steps(out, kill)
    for kind in kinds:
        read.clear()
        data = None
        if shards:
            width, height = SIZES[kind]
            data = ShardData(shards, width=width, height=height, batch=1, loaders=loaders, mirror=False)
        module = {"dropout": 0.0} if "parser" in kind else {}
        options = dict(batch=1, module=module, still=True, save_every=2, data=data)
        run(kind, out / kind, steps, devices=2, strategy="ddp", **options)
        write_json(out / f"{kind}.{RANK}.json", read)


if __name__ == "__main__":
    main(Path(sys.argv[1]), **json.loads(sys.argv[2]))
