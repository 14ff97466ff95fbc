"""po3d as a model of VLMEvalKit, to be added to its table of models by three lines:

  from functools import partial
  from po3d.evaluation.harness.vlmevalkit_model import Po3d
  supported_VLM["po3d"] = partial(Po3d)        # in vlmeval/config.py, or before run.py's main

It answers street questions: one image and one question per message. Written against the published
interface of its models (`BaseModel.generate_inner`, a message of {"type", "value"} parts); the
package is on no index.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from vlmeval.vlm.base import BaseModel

from po3d.io.errors import InputError
from po3d.io.images import read_image
from po3d.reasoning.execute import Mode
from po3d.reasoning.questions import Prediction
from po3d.systems.chat import NAME, ChatRequest, Refusal, ask, message_answer, street_pipelines


class Po3d(BaseModel):
    """The model; unanswerable messages get a response with the reason."""

    INTERLEAVE = False
    is_api = False

    def __init__(
        self,
        perception_checkpoint: str = "street_estimator",
        parser_checkpoint: str = "street_parser",
        mode: Mode = "marginal",
        device: str = "cpu",
    ) -> None:
        super().__init__()
        self.worlds = street_pipelines(
            perception=perception_checkpoint,
            parser_checkpoint=parser_checkpoint,
            mode=mode,
            device=device,
        )

    def use_custom_prompt(self, dataset: str) -> bool:
        """Return False: messages use the data set's own prompt."""
        return False

    def generate_inner(
        self, message: Sequence[Mapping[str, str]], dataset: str | None = None
    ) -> str:
        """Return the response to one message, given its texts and image paths."""
        result = []
        for part in message:
            if part["type"] == "text":
                result.append(part["value"])
        texts = tuple(result)
        paths = []
        for part in message:
            if part["type"] == "image":
                paths.append(Path(part["value"]))
        try:
            if len(paths) != 1:
                raise Refusal(400, f"a street question needs one image, not {len(paths)}")
            request = ChatRequest(NAME, texts, (read_image(paths[0]),))
            _, prediction, _ = ask(self.worlds, request)
        except (Refusal, InputError) as error:
            prediction = Prediction("", "failed", reason=str(error))
        return message_answer(prediction, texts)
