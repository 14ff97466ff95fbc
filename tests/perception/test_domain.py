"""Whose picture it is: the distances, and what the shipped estimators say of pictures of all
kinds.
"""

import json
import math
import warnings

import numpy as np
import pytest

import po3d
from po3d.cli import ask
from po3d.cli import main as cli
from po3d.io.errors import InputError
from po3d.io.images import read_image
from po3d.io.paths import MINI
from po3d.io.seeding import rng
from po3d.perception.ood import REFUSED, FeatureDistribution
from po3d.systems.domain_router import KINDS, DomainMatch, OutOfDistributionWarning

NOISE = rng(5, "domain/noise").integers(0, 256, (480, 640, 3), dtype=np.uint8)
PICTURES = {
    "street": MINI / "pulsecheck457" / "images" / "superCLEVR_new_000003.jpg",
    "rooms": MINI / "3dsrbench" / "images" / "000001_common.jpg",
    "orbit": MINI / "scope" / "images" / "scope_000000_000.jpg",
    "map": (
        MINI / "hypo3d" / "2D_VLM_data" / "top_view_no_label_rotated" / "room_test_457_000000.jpg"
    ),
}


def cloud(seed, centre, count=400):
    """Features of pictures of one kind."""
    r = rng(seed, "domain/cloud")
    spread = np.linspace(0.5, 2, 12)
    return centre + r.normal(size=(count, 12)) * spread


@pytest.fixture(scope="module")
def domain():
    return FeatureDistribution.of(cloud(1, np.zeros(12)), cloud(2, np.full(12, 2.0)))


def test_of_its_own_kind_few_are_refused_and_of_others_nearly_all(domain):
    assert np.mean(domain.ood_score(cloud(3, np.zeros(12), 4000)) > 1) < 2.5 * REFUSED
    assert np.mean(domain.ood_score(cloud(4, np.full(12, 2.0), 4000)) > 1) > 0.97


def test_what_nobody_has_visible_is_strange_wherever_it_lies(domain):
    away = rng(6, "domain/away").normal(size=(50, 12))
    away *= 60 / np.linalg.norm(away, axis=1, keepdims=True)
    assert (domain.ood_score(away) > 1).all()
    assert (domain.ood_score(2 * away) > domain.ood_score(away)).all()


def test_a_record_holds_it_and_a_damaged_one_is_reported(domain):
    record = json.loads(json.dumps(domain.record()))
    features = cloud(5, np.ones(12), 20)
    np.testing.assert_allclose(
        FeatureDistribution.read(record).ood_score(features), domain.ood_score(features), rtol=1e-4
    )
    for damage in (
        {"mean": record["mean"][:8]},
        {"spread": "@@"},
        {"direction": 7},
        {"limits": [1.0]},
        {"limits": [1.0, -1.0]},
        {"limits": [1.0, math.nan]},
        {"spread": record["mean"]},
    ):
        with pytest.raises(InputError, match="image statistics are invalid"):
            FeatureDistribution.read(record | damage)
    with pytest.raises(InputError, match="statistics are invalid"):
        FeatureDistribution.read({})


@pytest.fixture(scope="module")
def auto():
    return po3d.load("auto")


@pytest.mark.parametrize("kind", KINDS)
def test_auto_takes_a_picture_for_what_it_is(auto, kind):
    perceived = auto.chosen(PICTURES[kind])
    assert perceived.kind == kind
    assert perceived.strangeness < 1


def test_an_orbit_with_toy_cars_is_no_street(auto):
    picture = read_image(MINI / "scope/images/scope_000001_180.jpg")
    assert auto.builders["street"]().pipeline.tables.estimator.recognises(picture)
    assert auto.chosen(picture).kind == "orbit"


def test_near_the_limit_a_street_is_taken_with_a_warning_and_a_room_is_not():
    near, far = DomainMatch("street", 1.2), DomainMatch("street", 1.4)
    assert near.strange
    assert not near.refused
    assert far.refused
    assert DomainMatch("rooms", 1.2).refused
    assert DomainMatch("rooms", 0.9).refused  # as photographs of rooms are
    assert DomainMatch("rooms", 0.66).refused
    assert not DomainMatch("rooms", 0.6).refused


def test_the_street_estimator_recognises_streets_only(auto):
    estimator = auto.builders["street"]().pipeline.tables.estimator
    recognised = {kind: estimator.recognises(read_image(PICTURES[kind])) for kind in KINDS}
    assert recognised == {kind: kind == "street" for kind in KINDS}
    assert not estimator.recognises(NOISE)


def test_auto_refuses_noise_and_the_others_warn_of_what_they_do_not_know(auto):
    with pytest.raises(InputError, match="Out of distribution for every shipped estimator"):
        auto.look(NOISE)
    streets = auto.builders["street"]()
    for picture in (NOISE, PICTURES["rooms"], PICTURES["map"]):
        with pytest.warns(OutOfDistributionWarning, match="Out of distribution for this estimator"):
            streets.look(picture)
    with warnings.catch_warnings():
        warnings.simplefilter("error", OutOfDistributionWarning)
        streets.look(PICTURES["street"])


@pytest.mark.parametrize(
    ("kind", "question", "looking"),
    [
        ("rooms", "Which object is closer to the camera, the trash can or the mirror?", {}),
        (
            "rooms",
            "From the camera's perspective, where is the trash can relative to the mirror?",
            {},
        ),
        ("orbit", "From the camera's perspective, where is the mug relative to the bowl?", {}),
        ("map", "How many beds are there?", {"metres_per_pixel": 0.01}),
    ],
)
def test_who_can_read_the_question_answers(auto, kind, question, looking):
    answer = auto.ask(PICTURES[kind], question, **looking)
    assert answer.status in ("ok", "failed"), answer.reason
    assert answer.domain_match.kind == kind
    assert f"Detected domain: {kind}" in str(answer)
    assert auto.ask(answer.scene, question).answer == answer.answer  # of the table alone
    if kind == "map":
        with pytest.raises(InputError, match="a top-view map needs its scale"):
            auto.ask(PICTURES[kind], question)


def test_ask_says_whose_picture_it_is(capsys):
    question = "Which object is closer to the camera, the trash can or the mirror?"
    room = str(PICTURES["rooms"])
    assert cli.main(["ask", room, question, "--json"]) in (0, ask.NO_ANSWER)
    report = json.loads(capsys.readouterr().out)["picture"]
    assert (report["kind"], report["strangeness"] < 1) == ("rooms", True)
    cli.main(["ask", room, "How many cars are there?", "--perception", "street"])
    assert "note: Out of distribution for this estimator" in capsys.readouterr().err


def test_ask_refuses_a_picture_that_nobody_knows(tmp_path, capsys):
    from PIL import Image

    Image.fromarray(NOISE).save(tmp_path / "noise.png")
    assert cli.main(["ask", str(tmp_path / "noise.png"), "How many cars are there?"]) == 2
    assert "Out of distribution for every shipped estimator" in capsys.readouterr().err
    assert set(ask.PERCEPTIONS) == {*KINDS, "photo", "auto"}
