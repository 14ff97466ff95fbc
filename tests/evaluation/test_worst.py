"""The sheet of the worst images."""

import json

from po3d.benchmarks.pulsecheck457 import data as pulsecheck457
from po3d.evaluation.report.draw import draw_scene as draw
from po3d.evaluation.report.worst import WIDTH, sheet
from po3d.reasoning.questions import Prediction, write_predictions
from po3d.scene.table import to_json


def test_the_image_with_wrong_answers_is_the_one_drawn(tmp_path, monkeypatch):
    split = pulsecheck457.open_mini()
    bad = split.images[3]
    write_predictions(
        tmp_path / "predictions.jsonl",
        (
            Prediction(q.id, "ok", "nonsense" if q.image == bad else q.answer)
            for q in split.questions
        ),
    )
    with open(tmp_path / "scenes.jsonl", "w") as file:
        for name in split.images:
            file.write(json.dumps({**to_json(split.truth(name)), "image": name}) + "\n")
    drawn = []
    monkeypatch.setattr(
        "po3d.evaluation.report.worst.draw_scene",
        lambda image, *tables: drawn.append(1) or draw(image, *tables),
    )
    picture = sheet(tmp_path, pulsecheck457.MINI, most=1)
    assert len(drawn) == 1
    assert picture.width == 2 * WIDTH
    alone = sheet(tmp_path, pulsecheck457.MINI, most=2)
    assert (
        alone.crop((0, 0, WIDTH, picture.height)).tobytes()
        == picture.crop((0, 0, WIDTH, picture.height)).tobytes()
    )
