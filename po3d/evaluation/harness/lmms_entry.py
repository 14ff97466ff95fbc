"""Entry point of the group `lmms_eval.models`: lmms-eval learns of the model `po3d` from here. lmms-eval loads every
plug-in when it starts, so nothing heavy is imported; the model itself is `po3d.evaluation.harness.lmms_model`."""

from typing import Any


def manifest() -> Any:
    """lmms-eval's ModelManifest of po3d."""
    from lmms_eval.models.registry_v2 import ModelManifest

    return ModelManifest(model_id="po3d", chat_class_path="po3d.evaluation.harness.lmms_model.Po3d")
