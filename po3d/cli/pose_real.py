"""L4-Pose-Real of PulseCheck457: which way does the thing in the red box of a photograph face?

    po3d pose-real make SUNRGBDMeta3DBB_v2.mat SUNRGBD --out DIR       items from SUN RGB-D's annotations
    po3d pose-real make POSES IMAGES --out DIR                         items from pictures with poses (docs/pose_real.md)
    po3d pose-real answer DIR --base-url URL --model NAME --out RUN    asks a model; the same command resumes
    po3d pose-real score DIR RUN                                       accuracy, CV, confusion, beside the paper's Table 5

The subset is not released; the paper says how it was made. Pictures and annotations are the user's, under their own licences.
"""

import argparse
import json
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    make = actions.add_parser("make", help="write the items")
    make.add_argument("annotations", help="SUN RGB-D's .mat, its fields as .jsonl, or a folder of poses")
    make.add_argument("images", help="the folder that the annotations' image names start from")
    make.add_argument("--out", required=True, metavar="DIR", help="an empty or new folder")
    answer = actions.add_parser("answer", help="ask a model behind an OpenAI-compatible endpoint")
    answer.add_argument("items", metavar="DIR", help="the folder that make wrote")
    answer.add_argument("--base-url", required=True, metavar="URL")
    answer.add_argument("--model", required=True, metavar="NAME")
    answer.add_argument("--key-env", metavar="VARIABLE", help="the environment variable with the API key")
    answer.add_argument("--concurrency", type=int, default=4, metavar="N", help="requests at once (4)")
    answer.add_argument("--size", type=int, metavar="N", help="the first N photographs; default: all")
    answer.add_argument("--out", required=True, metavar="RUN", help="the folder of the run")
    score = actions.add_parser("score", help="accuracy, CV and confusion")
    score.add_argument("items", metavar="DIR")
    score.add_argument("predictions", metavar="RUN", help="the folder of a run, or a predictions.jsonl")
    score.add_argument("--size", type=int, metavar="N", help="the first N photographs; default: all")
    score.add_argument("--json", action="store_true", help="print one JSON object instead of tables")


def run(arguments: argparse.Namespace) -> int:
    return {"make": _make, "answer": _answer, "score": _score}[arguments.action](arguments)


def _make(arguments: argparse.Namespace) -> int:
    from po3d.benchmarks.pulsecheck457.pose_real import generate

    print(f"{generate(arguments.annotations, arguments.images, arguments.out)} items in {arguments.out}")
    return 0


def _answer(arguments: argparse.Namespace) -> int:
    from po3d.benchmarks.pulsecheck457.pose_real import CATEGORY, load, prompt
    from po3d.evaluation.run import PREDICTIONS, data_digest, predict
    from po3d.io.runs import locked
    from po3d.systems.lmm import Lmm
    from po3d.systems.pipeline import Context
    from po3d.systems.prompts import Prompt

    class PoseLmm(Lmm):
        """Asks the questions of L4-Pose-Real."""

        def asked(self, question: object, context: Context) -> Prompt:
            return Prompt(tuple(prompt(question)), (question.image,))

    out = Path(arguments.out)
    split = load(arguments.items).first(arguments.size)
    how = {"key_env": arguments.key_env, "concurrency": arguments.concurrency}
    system = PoseLmm("pulsecheck457", arguments.base_url, arguments.model, log=out / "usage.jsonl", **how)
    data = {"sha256": data_digest(arguments.items, split)}
    identity = {"benchmark": CATEGORY, "model": arguments.model, "base_url": arguments.base_url, "data": data}
    with locked(out):
        given = predict(
            split, system, out, identity, about={"benchmark": CATEGORY, "system": arguments.model}
        )
    answered = sum(p.status == "ok" for p in given)
    print(f"{answered} of {len(given)} questions answered: {out / PREDICTIONS}")
    return 0


def _score(arguments: argparse.Namespace) -> int:
    from po3d.benchmarks.pulsecheck457.pose_real import CATEGORY, load, score
    from po3d.evaluation.compare import read_entry
    from po3d.io.text_tables import Table, text

    questions = load(arguments.items).first(arguments.size).questions
    entry = read_entry(arguments.predictions, questions)
    report = score(questions, entry.predictions)
    if arguments.json:
        print(json.dumps(report, indent=1))
        return 0
    (row,) = report["rows"]
    figures = [["this run", row["value"], report["cv"]["predicted"]]]
    figures += [[f"{r['model']} *", r[CATEGORY], r["cv"]] for r in report["published"]]
    names = report["confusion"]["values"]
    counts = [[name, *line] for name, line in zip(names, report["confusion"]["counts"])]
    width = max(map(len, counts))
    head = ["gold", *names, *["none"] * (width - 1 - len(names))]
    print(text(Table(["model", "accuracy", "CV"], figures)))
    print("* published, on the paper's own items\n")
    print(text(Table(head, counts)))
    interval = (
        "none (one photograph)" if row["ci_low"] is None else f"{row['ci_low']:.1f} to {row['ci_high']:.1f}"
    )
    print(
        f"\n{row['n']} questions, {row['failed']} without an answer; 95 % interval over photographs: {interval}"
    )
    return 0
