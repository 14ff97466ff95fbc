"""Separate modules of streets: detection, attributes and pose by different networks, and their
provenance.
"""

import functools
import importlib.util
import json
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from po3d.benchmarks.registry import opened
from po3d.io import checkpoint
from po3d.io.config import ROOT
from po3d.io.errors import InputError
from po3d.perception.crops import StreetAttributes, StreetPose
from po3d.perception.street import StreetEstimator
from po3d.scene.street import camera, extent, origin_height
from po3d.scene.table import ObjectPose, ObjectState, Scene, sure
from po3d.systems.estimators import identity, title
from po3d.systems.separate_modules import SeparateModules, separate_modules

EXAMPLES = ROOT / "docs" / "examples"
_SPEC = importlib.util.spec_from_file_location("evaluate", ROOT / "evaluate.py")
script = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(script)
MEAN_COLOR = "perception.modules.attributes={_target_: my_modules.MeanColor, softness: 30}"


@pytest.fixture(autouse=True)
def examples(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


@functools.cache
def street() -> StreetEstimator:
    torch.manual_seed(0)
    net = StreetEstimator.build(
        backbone="test_resnet", width=160, height=120, fold=1, neck=16, hidden=32
    )
    return StreetEstimator(net, flip_tta=False, plain=True)


def crops(kind: type, flip_tta: bool = False):
    torch.manual_seed(1)
    return kind(
        kind.build(backbone="test_resnet", width=160, height=120, crop=32, hidden=32),
        flip_tta=flip_tta,
        plain=True,
    )


def saved(folder, module) -> str:
    path = folder / module.kind
    attributes = {name: list(values) for name, values in module.attributes.items()}
    config = {"network": module.once.config, "attributes": attributes}
    checkpoint.save(
        path, module.kind, module.once.state_dict(), config, {"scenes": {"a_#": "0-3"}}, {}
    )
    return str(path)


@functools.cache
def display(count: int = 3):
    """Pictures and their true scenes as predicted ones with boxes."""
    from po3d.training.figures import with_boxes

    split = opened("pulsecheck457", size=count)
    return [split.image(n) for n in split.images], [
        with_boxes(split.truth(n)) for n in split.images
    ]


class Match:
    """A detector: the rows of these scenes."""

    def __init__(self, scenes) -> None:
        self.scenes = {scene.image: scene for scene in scenes}

    def estimate(self, images, names):
        return [self.scenes[name] for name in names]


def run(estimator, images, scenes):
    nothing = [None] * len(images)
    return estimator.estimate(images, [scene.image for scene in scenes], nothing, nothing)


# --- the networks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("flip_tta", [False, True])
@pytest.mark.parametrize("kind", [StreetAttributes, StreetPose])
def test_what_a_network_on_crops_says_of_a_box_does_not_depend_on_the_others(kind, flip_tta):
    images, scenes = display()
    module = crops(kind, flip_tta)
    method = module.estimate_attributes if kind is StreetAttributes else None
    if method is None:
        together = module.described(images, scenes)
        alone = module.described(images[1:2], scenes[1:2])
        rows = len(scenes[1])
        assert torch.equal(together.points[1, :rows], alone.points[0, :rows])
        assert torch.equal(together.alpha[1, :rows], alone.alpha[0, :rows])
        return
    together, (alone,) = method(images, scenes), method(images[1:2], scenes[1:2])
    assert together[1] == alone
    assert len(together[0]) == len(scenes[0])
    for belief in together[0][0].values():
        assert sum(belief.values()) == pytest.approx(1)


def test_the_estimator_describes_its_own_boxes_as_it_did_when_it_detected_them():
    images, _ = display()
    estimator = street()
    estimator.threshold = 0.0
    try:
        result = estimator.estimate(images, ["a", "b", "c"])
    finally:
        del estimator.threshold
    assert sum(map(len, result)) > 3
    again = estimator.estimate_attributes(images, result)
    merged = 0
    for scene, rows in zip(result, again, strict=True):
        for o, beliefs in zip(scene.objects, rows, strict=True):
            differs = max(
                abs(p - o.beliefs[a][v]) for a, belief in beliefs.items() for v, p in belief.items()
            )
            merged += differs > 1e-4  # the mean of two rows at one place
    assert merged < sum(map(len, result)) / 2


def test_the_position_of_a_row_is_that_of_the_joint_fit_of_its_points(monkeypatch):
    """A network that points at the true corners gives the true poses."""
    from po3d.training.labels import street_labels

    images, scenes = display()
    labels = [street_labels(replace(s, source="gt")) for s in scenes]
    rows = max(map(len, scenes))
    module = crops(StreetPose)
    described = module.described(images, scenes)
    points = torch.tensor(np.stack([each.points[:rows] for each in labels])).double()
    alpha = torch.tensor(np.stack([each.alpha[:rows] for each in labels])).double()
    sigma = torch.full_like(described.sigma, 0.5)
    true = described._replace(
        points=points, alpha=alpha, sigma=sigma, alpha_sigma=torch.full_like(alpha, 0.05)
    )
    monkeypatch.setattr(module, "described", lambda *_: true)
    for scene, poses in zip(scenes, module.estimate_poses(images, scenes), strict=True):
        for o, pose in zip(scene.objects, poses, strict=True):
            assert math.dist(pose.position, o.position[:2]) < 0.3
            assert math.cos(pose.heading - o.heading) > 0.99


# --- composition ----------------------------------------------------------------------------------


class Sized:
    def estimate_attributes(self, images, scenes):
        assert all(image.shape == (480, 640, 3) for image in images)
        return [[sure(shape="truck", size="small") for _ in scene.objects] for scene in scenes]


class Turned:
    def estimate_poses(self, images, scenes):
        self.shapes = [o.value("shape") for scene in scenes for o in scene.objects]
        return [[ObjectPose(1.0, (2.0, -1.0), flip=0.2) for _ in scene.objects] for scene in scenes]


def test_attributes_then_poses_replace_those_of_the_detection_and_nothing_else():
    images, scenes = display()
    pose = Turned()
    estimator = SeparateModules(Match(scenes), Sized(), pose)
    result = run(estimator, images, scenes)
    assert set(pose.shapes) == {"truck"}
    for before, after in zip(scenes, result, strict=True):
        assert after.occluders == before.occluders
        for o, p in zip(before.objects, after.objects, strict=True):
            assert p.beliefs == {**o.beliefs, **sure(shape="truck", size="small")}
            assert p.extent == tuple(extent("truck", "small").tolist())
            assert p.position == (2.0, -1.0, origin_height("truck", "small"))
            assert (p.heading, p.flip, p.covariance) == (1.0, 0.2, o.covariance)
            assert (p.existence, p.box) == (o.existence, o.box)


def test_boxes_are_in_pixels_of_the_picture_that_a_module_gets():
    (image, *_), (scene, *_) = display()
    large = np.asarray(image).repeat(2, 0).repeat(2, 1)
    doubled = replace(
        scene,
        camera=camera().resized(1280, 960),
        objects=tuple(replace(o, box=tuple(2 * v for v in o.box)) for o in scene.objects),
    )
    (result,) = run(SeparateModules(Match([doubled]), Sized(), Turned()), [large], [doubled])
    assert [o.box for o in result.objects] == [pytest.approx(o.box) for o in scene.objects]


def test_a_network_named_twice_is_loaded_once_and_each_module_is_named(tmp_path):
    shipped, attributes = saved(tmp_path, street()), saved(tmp_path, crops(StreetAttributes))
    estimator = separate_modules({"attributes": attributes}, shipped)
    detection, classifier, pose = estimator.separate.values()
    assert detection is pose
    assert isinstance(classifier, StreetAttributes)
    assert (
        title(identity(estimator))
        == "detection street_estimator + attributes street_attributes + pose street_estimator"
    )
    images, scenes = display()
    assert [scene.image for scene in run(estimator, images, scenes)] == [
        scene.image for scene in scenes
    ]


@pytest.mark.parametrize(
    ("modules", "says"),
    [
        (
            {"attributes": "POSE"},
            "this checkpoint is a street_pose, not a street_attributes or a street_estim",
        ),
        ({"detection": "POSE"}, "this checkpoint is a street_pose, not a street_estimator"),
        (
            {"pose": "ATTRIBUTES"},
            "this checkpoint is a street_attributes, not a street_pose or a street_est",
        ),
        ({"attributes": "nowhere/none"}, "nowhere/none"),
        ({"colour": "POSE"}, "unknown module of perception.modules 'colour'"),
        ({"attributes": Turned()}, "Turned has no method estimate_attributes"),
        ({"detection": Sized()}, "Sized has no method estimate"),
    ],
)
def test_a_module_that_cannot_be_one_is_refused(modules, says, tmp_path):
    pairs = {
        "POSE": saved(tmp_path, crops(StreetPose)),
        "ATTRIBUTES": saved(tmp_path, crops(StreetAttributes)),
    }
    chosen = {name: pairs.get(m, m) if isinstance(m, str) else m for name, m in modules.items()}
    with pytest.raises(InputError, match=says):
        separate_modules(chosen, saved(tmp_path, street()))


class Returns:
    def __init__(self, value) -> None:
        self.value = value

    def estimate_attributes(self, images, scenes):
        return self.value(scenes) if callable(self.value) else self.value

    estimate_poses = estimate_attributes


def each(value):
    return lambda scenes: [[value for _ in scene.objects] for scene in scenes]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "should return a list with one entry for each of 3 scenes"),
        (lambda scenes: [[] for _ in scenes], "should return one entry for each of the .* rows of"),
        (
            lambda scenes: 1 / 0,
            r"estimate_attributes raised ZeroDivisionError \(test_separate_modules.py, line",
        ),
        (each({"color": {"red": 0.3}}), "probabilities of color should be at least 0 and sum to 1"),
        (each({"color": {"red": "much"}}), "probabilities of color should be at least 0 and sum"),
        (each({"color": {"red": None}}), "probabilities of color should be at least 0 and sum"),
        (each({"color": {"red": [1.0]}}), "probabilities of color should be at least 0 and sum"),
        (each({"color": {"red": 10**400}}), "probabilities of color should be at least 0 and sum"),
        (each({"color": {"pink": 1.0}}), "unknown color of .* 'pink'"),
        (each({"mood": {"red": 1.0}}), "unknown attribute of .* 'mood'"),
        (each("red"), "should return attribute -> value -> probability"),
    ],
)
def test_attributes_that_are_none_are_refused(value, says):
    images, scenes = display()
    with pytest.raises(InputError, match=says):
        run(SeparateModules(Match(scenes), Returns(value), Turned()), images, scenes)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (each(ObjectPose(math.nan)), r"returned a non-finite objects\[0\].heading"),
        (each(0.5), "should return an ObjectPose for each row, not 0.5"),
        (each(ObjectPose(0.1, (1.0,))), "should return an ObjectPose for each row"),
        (each(ObjectPose(0.1, None, ((1.0,),))), "should return an ObjectPose for each row"),
        (each(ObjectPose(0.1, None, 5)), "should return an ObjectPose for each row"),
        (each(ObjectPose(0.1, None, None, 1.5)), "should return an ObjectPose for each row"),
        (each(ObjectPose(10**400)), "should return an ObjectPose for each row"),
        (each(ObjectPose(0.1, (1.0, math.inf))), r"returned a non-finite objects\[0\].position"),
    ],
)
def test_poses_that_are_none_are_refused(value, says):
    images, scenes = display()
    with pytest.raises(InputError, match=says):
        run(SeparateModules(Match(scenes), Sized(), Returns(value)), images, scenes)


def test_a_detector_without_boxes_or_shapes_is_refused():
    images, scenes = display()
    bare = [replace(s, objects=tuple(replace(o, box=None) for o in s.objects)) for s in scenes]
    with pytest.raises(InputError, match="Found returned a row without a box"):
        run(SeparateModules(Match(bare), Sized(), Turned()), images, bare)
    row = ObjectState({}, (0.0, 0.0, 0.3), 0.0, (1.0, 1.0, 1.0), box=(0.0, 0.0, 9.0, 9.0))
    plain = [Scene((row,), {}, "predicted", image="a")]
    with pytest.raises(InputError, match="neither it nor the detection returned the shape"):
        run(SeparateModules(Match(plain), Returns(each({})), Turned()), images[:1], plain)


# --- evaluate.py ----------------------------------------------------------------------------------


def test_an_evaluation_uses_and_names_each_module(tmp_path, capsys):
    pose = saved(tmp_path, crops(StreetPose))
    shipped = saved(tmp_path, street())
    options = [
        f"perception.checkpoint={shipped}",
        MEAN_COLOR,
        f"perception.modules.pose={pose}",
        "size=2",
    ]
    out = tmp_path / "out"
    assert script.run([*options, f"out={out}"]) == 0
    name = "detection street_estimator + attributes MeanColor 1 + pose street_pose"
    report = json.loads((out / "report.json").read_text())
    assert report["settings"]["perception"] == name
    assert f"po3d, perception {name}" in capsys.readouterr().out
    modules = report["provenance"]["modules"]
    assert modules["perception.attributes"]["class"] == "my_modules.MeanColor"
    assert modules["perception.attributes"]["source_sha256"]
    assert modules["perception.pose"]["sha256"] == checkpoint.digest(pose)
    assert modules["perception.detection"]["sha256"] == checkpoint.digest(shipped)
    assert report["trained_on"]["perception.pose"]["of"] == 2
    run = json.loads((out / "run.json").read_text())["identity"]
    assert run["system"]["perception"]["options"]["attributes"]["softness"] == 30
    assert run["checkpoints"]["perception.pose"] == checkpoint.digest(pose)
    other = [o.replace("softness: 30", "softness: 31") for o in options]
    assert script.run([*other, f"out={out}"]) == 2
    assert "options.attributes.softness" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["benchmark=hypo3d", MEAN_COLOR],
            "perception.modules is set, but has no effect on system=po3d, benchmark=hypo3d",
        ),
        (
            ["benchmark=scope", MEAN_COLOR],
            "perception.modules is set, but has no effect on system=po3d, benchmark=scope",
        ),
        (
            [MEAN_COLOR, "system=random"],
            "perception.modules is set, but has no effect on system=random",
        ),
        (
            [MEAN_COLOR, "perception.refine=render_compare"],
            "perception.refine=render_compare and perception.modules cannot be combined",
        ),
        (
            ["perception.modules.attributes={softness: 3}"],
            "perception.modules.attributes should have a _target_",
        ),
        (["perception.modules.attributes={_target_: my_modules.None}"], "my_modules has no None"),
        (["perception.modules.colour=x"], "unknown option 'perception.modules.colour'"),
        (["perception.modules.pose=3"], "perception.modules.pose"),
        (
            ["perception._target_=my_estimator.Patches", MEAN_COLOR],
            "unexpected keyword argument 'modules'",
        ),
    ],
)
def test_what_is_wrong_with_the_options_is_one_line(options, says, tmp_path, capsys):
    assert script.run([*options, "size=1", f"out={tmp_path / 'out'}"]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_page_on_extending_has_the_example_as_it_is():
    page = (ROOT / "docs" / "extending.md").read_text()
    assert f"```python\n{(EXAMPLES / 'my_modules.py').read_text()}```" in page
