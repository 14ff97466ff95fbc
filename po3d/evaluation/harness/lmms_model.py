"""po3d as a model of lmms-eval, registered through its entry point without patches.

  lmms-eval --model po3d --tasks po3d_pulsecheck457 --include_path DIR --log_samples \\
    --output_path OUT
  lmms-eval --model po3d --model_args predictions=FILE --tasks po3d_hypo3d,po3d_scope \\
    --include_path DIR ...

By default it answers street questions with the networks of `po3d serve`: one image and one question
per row. With `predictions`, a predictions.jsonl of any po3d system, each row gets the stored answer
to its question, identified by the column id, qid, question_id, question_index or index. A row
without an answer gets a refusal with the reason.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from lmms_eval.api.model import lmms

from po3d.benchmarks.choices import LETTERS, filled
from po3d.io.progress import progress
from po3d.reasoning.execute import Mode
from po3d.reasoning.questions import Prediction, by_id, read_predictions
from po3d.systems.chat import NAME, ChatRequest, Refusal, ask, message_answer, street_pipelines

IDS = ("id", "qid", "question_id", "question_index", "index")


class LmmsPo3d(lmms):
    """The model. Batch sizes, which the harness passes to every model, are ignored."""

    is_simple = False

    def __init__(
        self,
        predictions: str | Path | None = None,
        perception_checkpoint: str = "street_estimator",
        parser_checkpoint: str = "street_parser",
        mode: Mode = "marginal",
        device: str = "cpu",
        batch_size: int | str | None = None,
        max_batch_size: int | None = None,
    ) -> None:
        super().__init__()
        self.known: dict[str, Prediction] | None = None
        if predictions is not None:
            self.known = by_id(read_predictions(Path(predictions)))
            return
        self.worlds = street_pipelines(
            perception=perception_checkpoint,
            parser_checkpoint=parser_checkpoint,
            mode=mode,
            device=device,
        )

    def generate_until(self, requests: list) -> list[str]:
        """Return the responses in the order of the requests."""
        return list(map(self._respond, progress(requests, "po3d")))

    def _respond(self, request: Any) -> str:
        *_, doc_to_messages, _settings, doc_id, task, split = request.args
        doc = self.task_dict[task][split][doc_id]
        content = []
        for message in doc_to_messages(doc):
            content += message["content"]
        texts, pictures = [], []
        for part in content:
            if part["type"] == "text":
                texts.append(part["text"])
            elif part["type"] == "image":
                pictures.append(part["url"])
        texts = tuple(texts)
        if self.known is not None:
            prediction = _of(doc, self.known)
        else:
            try:
                if len(pictures) != 1:
                    raise Refusal(400, f"a street question needs one image, not {len(pictures)}")
                chat_request = ChatRequest(NAME, texts, (np.asarray(pictures[0].convert("RGB")),))
                _, prediction, _ = ask(self.worlds, chat_request)
            except Refusal as refusal:
                prediction = Prediction("", "failed", reason=str(refusal))
        return message_answer(prediction, texts, options_of(doc))

    def generate_until_multi_round(self, requests: list) -> list[str]:
        raise NotImplementedError("po3d answers single questions")

    def loglikelihood(self, requests: list) -> list:
        raise NotImplementedError(
            "po3d generates answers; it does not compute likelihoods of given texts"
        )


def options_of(doc: Mapping[str, Any]) -> list[str]:
    """Return the options of a row: its list `options`, or its columns A, B, C, D; "" for a letter
    without one."""
    if isinstance(options := doc.get("options"), Iterable) and not isinstance(options, str):
        return list(map(str, options))
    return filled({k: str(doc[k]) for k in LETTERS if doc.get(k) not in (None, "", "nan")})


def _of(doc: Mapping[str, Any], known: Mapping[str, Prediction]) -> Prediction:
    ids = []
    for name in IDS:
        if doc.get(name) is not None:
            ids.append(str(doc[name]))
    prediction = next((known[i] for i in ids if i in known), None)
    return prediction or Prediction(
        "", "failed", reason=f"no prediction for {', '.join(ids) or 'a row without an id'}"
    )
