"""Draw the images on which a system made the most errors.

 python -m po3d.evaluation.report.worst OUT [--data DIR] [--save FILE]

OUT is a folder written by evaluate.py with system=po3d. Each image has the predicted boxes and
headings in colour over the true ones in white, beside a top view of both; the caption counts its
wrong answers.
"""

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.evaluation.report.draw import draw_scene
from po3d.io.cli_errors import guarded
from po3d.io.errors import InputError
from po3d.io.files import atomic_write, read_jsonl
from po3d.reasoning.questions import read_predictions
from po3d.scene.table import Scene, from_json

COLUMNS, WIDTH, CAPTION = 2, 700, 18


def sheet(out: Path, data: Path, most: int) -> Image.Image:
    """Return a contact sheet of the `most` images with the highest error rates."""
    split = pulsecheck457.load(data)
    answers = {q.id: q for q in split.questions}
    counts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for p in read_predictions(out / "predictions.jsonl"):
        if p.id not in answers:
            raise InputError(
                f"{out} contains predictions for other questions than {data}; set --data"
            )
        q = answers[p.id]
        counts[q.image] += 1
        wrong[q.image] += p.status != "ok" or p.answer != q.answer
    tables: Mapping[str, Scene] = {
        r["image"]: from_json(r) for r in read_jsonl(out / "scenes.jsonl")
    }
    names = sorted(wrong, key=lambda n: (-wrong[n] / counts[n], n))[:most]
    font = ImageFont.load_default(13)
    cells = []
    for name in names:
        drawing = draw_scene(split.image(name), tables[name], split.truth(name))
        height = round(drawing.height * WIDTH / drawing.width)
        cell = Image.new("RGB", (WIDTH, height + CAPTION), "white")
        cell.paste(drawing.resize((WIDTH, height), Image.Resampling.LANCZOS), (0, 0))
        caption = f"{name}: {wrong[name]} of {counts[name]} wrong"
        ImageDraw.Draw(cell).text((4, height + 1), caption, fill="black", font=font)
        cells.append(cell)
    rows = -(-len(cells) // COLUMNS)
    canvas = Image.new("RGB", (COLUMNS * WIDTH, rows * cells[0].height), "white")
    for k, cell in enumerate(cells):
        canvas.paste(cell, (k % COLUMNS * WIDTH, k // COLUMNS * cell.height))
    return canvas


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m po3d.evaluation.report.worst", description=__doc__.split("\n")[0]
    )
    parser.add_argument("out", help="a folder written by evaluate.py")
    parser.add_argument(
        "--data",
        default=str(pulsecheck457.MINI),
        help="folder of the questions (default: the mini split)",
    )
    parser.add_argument("--most", type=int, default=10)
    parser.add_argument("--save", default="", help="the image to write (default: OUT/worst.jpg)")
    a = parser.parse_args()

    def command() -> None:
        target = Path(a.save) if a.save else Path(a.out) / "worst.jpg"
        page = sheet(Path(a.out), Path(a.data), a.most)
        with atomic_write(target, "wb") as file:
            page.save(file, "JPEG", quality=85)
        print(target)

    return guarded(command)


if __name__ == "__main__":
    raise SystemExit(main())
