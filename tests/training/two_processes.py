"""A script that trains on two processes, as `trainer=ddp` does but on the CPU: `python
two_processes.py OUT JOB`. Without arguments it reads lines of JSON, [OUT, JOB], and answers each
with the exit code: the two processes of a job are forked from it,
related as those that Lightning starts, but without imports of their own, which take longer than the
trainings.

JOB is JSON: `kinds` (of tiny_trainings) and `steps`; `shards`: a folder that is trained on in place
of a kind's own samples, read by `loaders` processes; `kill`, [rank, step]: that process is killed
when it comes to that step.

OUT/KIND/ gets what `train` writes, and the numbers that each process read: RANK.json. OUT/RANK.pid
names the processes. OUT/RANK.written names what each wrote below OUT/KIND, and for shards
OUT/RANK.seen has a line for each step: its number, its pictures.
OUT/errors is what forked processes say."""

import json
import os
import signal
import socket
import sys
import traceback
from pathlib import Path

from coloured_shards import number
from tiny_trainings import SIZES, few_words, run

from po3d.io.files import write_json
from po3d.training import parser, room_parser
from po3d.training.estimator import EstimatorModule
from po3d.training.run import FIRST
from po3d.training.samplers import BatchStream
from po3d.training.shards import ShardData

WRITES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate", "os.symlink", "os.link"}


def rank() -> int:
    return int(os.environ.get("LOCAL_RANK", 0))


def note_files(out: Path, kinds: list[str]) -> None:
    """Write down which files of a training this process opens for writing, makes, moves or
    removes.
    """
    notes = os.open(out / f"{rank()}.written", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    places = tuple(str(out / kind) for kind in kinds)

    def heard(event: str, supplied: tuple) -> None:
        if event == "open":
            path, mode, flags = supplied
            writes = (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or set(mode or "") & set(
                "wax+"
            )
        elif event in WRITES:
            path, writes = supplied[0], True
        else:
            return
        if (
            writes
            and isinstance(path, str | os.PathLike)
            and os.path.abspath(path).startswith(places)
        ):
            os.write(notes, f"{event} {path}\n".encode())

    sys.addaudithook(heard)


def note_steps(out: Path, kill: list[int] | None) -> None:
    """Write down which pictures come to which step, and be killed at one."""
    plain = EstimatorModule.training_step

    def step(self, batch, index):
        if kill == [rank(), self.global_step]:
            os.kill(os.getpid(), signal.SIGKILL)
        visible = [number(pixels) for pixels in batch["image"].permute(0, 2, 3, 1).numpy()]
        with open(out / f"{rank()}.seen", "a") as file:
            file.write(json.dumps([self.global_step, visible]) + "\n")
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


def main(
    out: Path, kinds: list[str], steps: int, shards: str = "", loaders: int = 0, kill=None
) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{rank()}.pid").write_text(str(os.getpid()))
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
            data = ShardData(
                shards, width=width, height=height, batch=1, num_workers=loaders, flip=False
            )
        module = {"dropout": 0.0} if "parser" in kind else {}
        options = dict(batch=1, module=module, still=True, save_every=2, data=data)
        run(kind, out / kind, steps, devices=2, strategy="ddp", **options)
        write_json(out / f"{kind}.{rank()}.json", read)


def forked(out: Path, job: dict) -> int:
    """The exit code of the first process of a job, which forks the second."""
    out.mkdir(parents=True, exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = {
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(free.getsockname()[1]),
            "NODE_RANK": "0",
        }
    if first := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
    os.environ |= place | {"LOCAL_RANK": "0", "WORLD_SIZE": "2", FIRST: str(os.getpid())}
    errors = os.open(out / "errors", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(errors, stream)
    second, code = os.fork(), 1
    if not second:
        os.environ["LOCAL_RANK"] = "1"
    try:
        main(out, **job)
        code = os.waitstatus_to_exitcode(os.waitpid(second, 0)[1]) if second else 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)  # nothing of the process that it was forked from is tidied up here


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]), **json.loads(sys.argv[2]))
    else:
        for line in sys.stdin:
            folder, asked = json.loads(line)
            print(forked(Path(folder), asked), flush=True)
