"""po3d behind the published interface of VLMEvalKit's models, of which a base class of the tests'
own stands in.
"""

import sys
import types

import numpy as np
import pytest
from endpoints import street
from PIL import Image

from po3d.benchmarks.registry import opened
from po3d.systems.build import build_pipeline
from po3d.systems.pipeline import Context
from po3d.systems.prompts import prompt


class BaseModel:
    """What the published class does with a message before the model sees it."""

    INTERLEAVE = False
    allowed_types = ("text", "image")

    def generate(self, message, dataset=None):
        assert all(part["type"] in self.allowed_types for part in message)
        return self.generate_inner(message, dataset)


@pytest.fixture
def model(monkeypatch):
    package = {
        name: types.ModuleType(name) for name in ("vlmeval", "vlmeval.vlm", "vlmeval.vlm.base")
    }
    package["vlmeval.vlm.base"].BaseModel = BaseModel
    for name, module in package.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "po3d.evaluation.harness.vlmevalkit_model", raising=False)
    from po3d.evaluation.harness.vlmevalkit_model import Po3d

    yield Po3d(mode="argmax")
    sys.modules.pop("po3d.evaluation.harness.vlmevalkit_model", None)


def test_a_message_gets_what_the_pipeline_says(model, tmp_path):
    root = street(tmp_path / "release", images=1, every=12)
    split = opened("pulsecheck457", root)
    local = build_pipeline("street", mode="argmax")
    image = split.image(split.questions[0].image)
    expected = local.answer(split.questions, Context(lambda: image, lambda: None, ""))
    path = next(
        str(p)
        for p in (root / "images").iterdir()
        if p.stem == split.questions[0].image.split(".")[0]
    )
    assert len(expected) > 3
    for question, p in zip(split.questions, expected, strict=True):
        texts = prompt("pulsecheck457", question).texts
        message = [{"type": "image", "value": path}, *({"type": "text", "value": t} for t in texts)]
        response = model.generate(message, "Spatial457")
        answer = (p.answer or "").replace("_", " ").lower()
        assert (
            f"'answer': '{answer}'" if p.status == "ok" else "i cannot answer this"
        ) in response.lower()


@pytest.mark.parametrize("pictures", [0, 2])
def test_what_is_no_street_question_is_refused_with_the_reason(model, pictures, tmp_path):
    path = tmp_path / "a.png"
    Image.fromarray(np.zeros((48, 64, 3), np.uint8)).save(path)
    message = [{"type": "image", "value": str(path)}] * pictures + [
        {"type": "text", "value": "How many cars?"}
    ]
    assert (
        model.generate(message)
        == f"I cannot answer this: a street question needs one image, not {pictures}"
    )


def test_a_missing_picture_is_refused(model, tmp_path):
    message = [
        {"type": "image", "value": str(tmp_path / "none.png")},
        {"type": "text", "value": "How many cars?"},
    ]
    assert model.generate(message).startswith("I cannot answer this: image not found")
