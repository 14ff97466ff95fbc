"""A script that trains on two processes, as `trainer=ddp` does but on the CPU: `python two_processes.py OUT STEPS KIND...`.

OUT/KIND/ gets what `train` writes, and what each process read: RANK.json. OUT/RANK.pid names the processes."""

import os
import sys
from pathlib import Path

from tiny_trainings import few_words, run

from po3d.io.files import write_json
from po3d.training import parser, room_parser
from po3d.training.stream import BatchStream

RANK = int(os.environ.get("LOCAL_RANK", 0))


def main(out: Path, steps: int, kinds: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{RANK}.pid").write_text(str(os.getpid()))
    for module, words in zip((parser, room_parser), few_words(), strict=True):
        module.vocabulary = words
    read: list[list[int]] = []
    plain = BatchStream.__iter__

    def noted(self):
        for numbers in plain(self):
            read.append(numbers)
            yield numbers

    BatchStream.__iter__ = noted
    for kind in kinds:
        read.clear()
        options = {"dropout": 0.0} if "parser" in kind else {}
        run(
            kind,
            out / kind,
            steps,
            batch=1,
            module=options,
            still=True,
            save_every=2,
            devices=2,
            strategy="ddp",
        )
        write_json(out / kind / f"{RANK}.json", read)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
