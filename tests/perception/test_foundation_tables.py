"""From boxes, depth and angles to a table and answers, with networks that know the scene."""

import math

import numpy as np
import pytest
from test_foundation_geometry import FOCAL, HEIGHT, THINGS, WIDTH, depth_map, image_box

from po3d.io.seeding import rng
from po3d.perception import foundation_networks as networks
from po3d.perception.foundation_estimator import FoundationEstimator
from po3d.perception.foundation_orientation import Facing
from po3d.perception.photo_detections import Choice, chosen, colors, nouns
from po3d.scene.camera import CameraPose, camera_pose_of, held
from po3d.systems import photographs
from po3d.systems.api import Model
from po3d.systems.pipeline import Pipeline
from po3d.systems.scene_sources import Estimated


def test_the_detector_is_requested_the_nouns_of_descriptions():
    assert nouns(["man in grey jacket", "red mug next to the laptop", "the stop sign", "Man"]) == [
        "man", "mug", "laptop", "stop sign",
    ]  # fmt: skip


def test_boxes_of_one_thing_become_one_row_and_a_rider_is_not_the_horse():
    box = np.array([[0, 0, 10, 10], [0, 0, 10, 8], [0, 0, 10, 7], [50, 50, 60, 60]], float)
    phrases = ["horse", "man", "person"]
    score = np.array([[0.8, 0.1, 0.1], [0.1, 0.5, 0.7], [0.1, 0.6, 0.3], [0.02, 0.01, 0.04]])
    horse, rider = chosen(box, score, phrases, 0, Choice(0.3))
    assert max(horse.names, key=horse.names.get) == "horse"
    assert max(rider.names, key=rider.names.get) == "person"
    assert rider.names["man"] > 0.2
    weak = chosen(box, score, ["horse", "man", "cat"], 0, Choice(0.9))
    assert weak == []
    query = chosen(box[[0, 3]], score[[0, 3]][:, [2, 0]], ["cat", "horse"], 1, Choice(0.9, 0.5))
    assert [round(f.score, 2) for f in query] == [
        0.8
    ]  # the best box for what is asked about, however weak


class Staged:
    """Networks that know the scene of the geometry tests: two boxes on a floor under a tilted
    camera.
    """

    def __init__(self, camera, things, depth):
        self.camera, self.things, self.metres, self.asked = camera, things, depth, []

    def detect(self, picture, phrases):
        self.asked.append(list(phrases))
        score = np.zeros((len(self.things), len(phrases)))
        for k, name in enumerate(self.things):
            score[k, phrases.index(name)] = 0.9
        return networks.Boxes(
            np.array([image_box(self.camera, *t) for t in self.things.values()]), score
        )

    def measure(self, picture, focal):
        return networks.Depth(self.metres, None)

    def face(self, crops):
        return [Facing(math.pi / 2, 0.3, 0.0, 0.1, 0.02) for _ in crops]


def test_a_staged_scene_gives_the_table_of_its_things_and_answers():
    camera = held(CameraPose(1.6, -0.3, 0.2, math.pi / 2), WIDTH, HEIGHT, FOCAL)
    staged = Staged(camera, dict(zip(("chair", "sofa", "dog"), THINGS)), depth_map(camera))
    estimator = FoundationEstimator(staged.detect, staged.measure, staged.face, ("sofa", "dog"))
    picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    model = Model(
        Pipeline(
            Estimated(estimator, "photographs"), photographs.question_parser(), photographs.DOMAIN
        )
    )
    answer = model.ask(
        picture, "Which is closer to the camera, the chair or the sofa?", focal=FOCAL / WIDTH
    )
    assert staged.asked == [["chair", "sofa", "dog"]]  # the question's, then the vocabulary's
    assert answer.answer == "sofa"
    assert answer.probability > 0.9
    for o, (position, _, _) in zip(answer.scene.objects, THINGS, strict=True):
        np.testing.assert_allclose(o.position, position, atol=0.1)
        assert (
            abs(math.remainder(o.heading - math.pi, 2 * math.pi)) < 0.4
        )  # its left is seen: it faces left, -x
    assert camera_pose_of(answer.scene.camera).roll == pytest.approx(0.2, abs=0.02)
    assert "pitch -17°, roll 11°" in str(answer)
    higher = model.ask(
        picture,
        "Which object has a higher location?",
        options=("the dog", "the chair"),
        focal=FOCAL / WIDTH,
    )
    assert higher.answer == "the chair"


def test_a_smaller_picture_for_the_networks_gives_the_same_table():
    camera = held(CameraPose(1.6, -0.3, 0.0, math.pi / 2), WIDTH, HEIGHT, FOCAL)
    staged = Staged(camera, {"chair": THINGS[0]}, depth_map(camera))
    large = np.zeros((3 * HEIGHT, 3 * WIDTH, 3), np.uint8)
    estimator = FoundationEstimator(staged.detect, staged.measure, None, longest_side=WIDTH)
    (scene,) = estimator.estimate([large], [FOCAL / WIDTH], things=["chair"])
    (chair,) = scene.objects
    assert (scene.camera.width, scene.camera.focal) == (3 * WIDTH, 3 * FOCAL)
    np.testing.assert_allclose(chair.position, THINGS[0][0], atol=0.1)
    assert chair.flip == 0.5  # without an orientation network its heading may be anything
    pixels, _ = scene.camera.project(np.array(chair.position))
    assert chair.box[0] < pixels[0] < chair.box[2]
    assert chair.box[1] < pixels[1] < chair.box[3]


@pytest.mark.parametrize(
    ("rgb", "word"),
    [
        ((200, 20, 20), "red"),
        ((230, 120, 20), "orange"),
        ((230, 215, 30), "yellow"),
        ((30, 140, 40), "green"),
        ((20, 60, 190), "blue"),
        ((120, 40, 160), "purple"),
        ((240, 120, 180), "pink"),
        ((110, 65, 30), "brown"),
        ((225, 205, 170), "beige"),
        ((250, 250, 250), "white"),
        ((128, 128, 128), "gray"),
        ((10, 10, 10), "black"),
    ],
)
def test_a_plain_colour_has_its_word(rgb, word):
    assert colors(np.full((40, 40, 3), rgb, np.uint8), (5, 5, 35, 35)) == {word: 1.0}


def test_colours_are_shares_of_the_middle_of_a_box():
    picture = np.full((100, 100, 3), 128, np.uint8)
    picture[20:80, 20:50] = (200, 20, 20)
    picture[20:80, 50:80] = (20, 60, 190)
    result = colors(picture, (20, 20, 80, 80))
    assert set(result) == {"red", "blue"}
    assert result["red"] == pytest.approx(0.5, abs=0.05)


def test_the_name_of_an_image_changes_nothing():
    camera = held(CameraPose(1.6, -0.3, 0.1, math.pi / 2), WIDTH, HEIGHT, FOCAL)
    noise = np.exp(rng(0, "foundation names").normal(0, 0.01, (HEIGHT, WIDTH)))
    staged = Staged(camera, {"chair": THINGS[0]}, depth_map(camera) * noise)
    estimator = FoundationEstimator(staged.detect, staged.measure, None)
    picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    first, second = estimator.estimate(
        [picture] * 2, [FOCAL / WIDTH] * 2, names=["a.png", "b.png"], things=["chair"]
    )
    assert first.objects == second.objects
    assert (first.image, second.image) == ("a.png", "b.png")
