"""Entry point of the group `lmms_eval.models`, which registers the model `po3d` in lmms-eval.

lmms-eval loads every plug-in at start-up, so nothing heavy is imported; the model is in
`po3d.evaluation.harness.lmms_model`.
"""

from typing import Any


def manifest() -> Any:
    """Return po3d's ModelManifest for lmms-eval."""
    from lmms_eval.models.registry_v2 import ModelManifest

    return ModelManifest(
        model_id="po3d", chat_class_path="po3d.evaluation.harness.lmms_model.LmmsPo3d"
    )
