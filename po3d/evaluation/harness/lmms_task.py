"""Functions of an exported lmms-eval task. `po3d export` copies this file beside the task's YAML,
where lmms-eval loads it by path: it needs Pillow but not po3d.

A row of the data has: id, question (the whole prompt), parts (texts and images in order), images
(paths below this folder), answer, letter, options, category.
"""

import re
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
_FIELD = re.compile(r"""answer["']?\s*(?::|\bis\b)\s*["'(]*([^"'\n.)}]+)""", re.IGNORECASE)


def doc_to_visual(doc):
    """Return the row's images, opened, in order."""
    return list(map(_opened, doc["images"]))


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    """Return the prompt for models that take the images first."""
    return doc["question"]


def doc_to_messages(doc, lmms_eval_specific_kwargs=None):
    """Return the prompt for chat models: texts and images in the paper's order."""
    content = []
    for part in doc["parts"]:
        if part["type"] == "image":
            content.append({"type": "image", "url": _opened(part["value"])})
        else:
            content.append({"type": "text", "text": part["value"]})
    return [{"role": "user", "content": content}]


def process_results(doc, results):
    """Score the response approximately, for the harness's own table: 1 if its last field or line is
    the answer.

    Figures to be reported come from `po3d import`, which reads `id` and the response."""
    response = str(results[0]) if results else ""
    stated = _FIELD.findall(response)
    lines = []
    for line in response.splitlines():
        if line.strip():
            lines.append(line)
    answer = _plain(stated[-1] if stated else lines[-1] if lines else "")
    right = {_plain(doc["answer"]), *([_plain(doc["letter"])] if doc["letter"] else [])}
    score = float(answer in right)
    return {
        "po3d_quick": {
            "id": doc["id"],
            "category": doc["category"],
            "response": response,
            "score": score,
        }
    }


def mean_score(items):
    """Return the mean score of the rows, in percent."""
    return 100 * sum(item["score"] for item in items) / len(items) if items else 0.0


def _opened(name):
    with Image.open(HERE / name) as image:
        return image.convert("RGB")


def _plain(text):
    text = re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()
    return re.sub(r"^(?:a|an|the) (?=\S)", "", text)
