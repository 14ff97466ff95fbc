"""Random rendering styles of streets, with random paints and finishes of vehicles."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from po3d.io.errors import InputError
from po3d.io.files import rows_beside
from po3d.scene.vocabulary import COLORS_RGB
from po3d.synthesis.render.environment import (
    RGB,
    VARIANTS,
    Backdrop,
    Film,
    Finish,
    GroundStyle,
    Kind,
    Light,
    RenderStyle,
    Sky,
    direction,
    rgb,
    to_linear,
)


def numbers(text: str) -> tuple[float, ...]:
    """Parse the numbers in a cell of a table."""
    return tuple(map(float, text.split()))


def sample_look(kind: Kind, rng: np.random.Generator) -> RenderStyle:
    """Sample a style: "studio" like Super-CLEVR, "outdoor" like PulseCheck457's realistic
    images.
    """
    if kind == "studio":
        return _studio(rng)
    if kind == "outdoor":
        return _outdoor(rng)
    raise InputError(f"unknown look {kind!r}: choose studio or outdoor")


def _grey(rng: np.random.Generator, low: float, high: float, tint: float) -> RGB:
    """Sample a nearly grey colour of log-uniform brightness."""
    value = np.exp(rng.uniform(np.log(low), np.log(high)))
    return rgb(value * (1 + tint * rng.uniform(-1, 1, 3)), 0, 1)


def _scaled(color: ArrayLike, factor: float) -> RGB:
    return rgb(np.asarray(color, float) * factor)


def _light(
    rng: np.random.Generator, elevation: tuple, strength: tuple, radius: tuple, tint: float
) -> Light:
    toward = direction(rng.uniform(-np.pi, np.pi), np.radians(rng.uniform(*elevation)))
    warm = rng.uniform(-tint, tint)
    color = np.array([1 + warm, 1, 1 - warm]) * rng.uniform(*strength)
    return Light(tuple(toward), tuple(color), float(rng.uniform(*radius)))


def _film(rng: np.random.Generator, stops: tuple[float, float]) -> Film:
    warm, magenta = rng.normal(0, 0.04), rng.normal(0, 0.015)
    return Film(
        exposure=float(rng.uniform(*stops)),
        white_balance=(1 + warm, 1 - magenta, 1 - warm),
        knee=float(rng.uniform(0.6, 0.9)),
        contrast=float(rng.uniform(0.88, 1.15)),
        saturation=float(rng.uniform(0.85, 1.15)),
        vignette=float(rng.uniform(0, 0.25)) if rng.random() < 0.5 else 0.0,
        noise=float(rng.exponential(1.5)) if rng.random() < 0.6 else 0.5,
        noise_seed=int(rng.integers(256)),
        blur=float(rng.uniform(0.3, 0.8)) if rng.random() < 0.25 else 0.0,
    )


def plain_ground(color: RGB, contrast: float, rng: np.random.Generator) -> GroundStyle:
    """Sample a studio's floor of one colour; `contrast`: upper limit."""
    return GroundStyle(
        kind="plain",
        variant=int(rng.integers(VARIANTS)),
        color=color,
        color2=color,
        contrast=float(rng.uniform(0, contrast)),
        tile=float(rng.uniform(8, 20)),
        angle=float(rng.uniform(-np.pi, np.pi)),
        offset=tuple(rng.uniform(0, 1, 2)),
    )


def _studio(rng: np.random.Generator) -> RenderStyle:
    albedo = _grey(rng, 0.2, 0.5, 0.04)
    world = _grey(rng, 0.1, 0.4, 0.06)
    return RenderStyle(
        kind="studio",
        key=_light(rng, (35, 75), (0.5, 1.4), (0.15, 0.45), 0.08),
        fills=tuple(
            _light(rng, (10, 80), (0.15, 0.8), (0.15, 0.5), 0.1) for _ in range(rng.integers(2, 5))
        ),
        sky=Sky(zenith=world, horizon=_scaled(world, rng.uniform(0.3, 1.0))),
        ground=replace(
            plain_ground(albedo, 0.5, rng),
            falloff=float(rng.uniform(0.3, 0.85)),
            pool=tuple(rng.normal((2.0, -2.0), 2.0)),  # towards the benchmark's camera
            pool_radius=float(rng.uniform(6, 14)),
        ),
        backdrop=Backdrop(distance=60.0, color=_scaled(albedo, 0.2), height=0.0),
        film=_film(rng, (-0.5, 0.3)),
    )


# albedo, second albedo, world units per tile
_GROUNDS = tuple(rows_beside(__file__, "grounds.csv"))
# The key light (degrees, strength, radians, tint, colour) and its sky
_WEATHER = tuple(rows_beside(__file__, "weather.csv"))


def _outdoor(rng: np.random.Generator) -> RenderStyle:
    weather = _WEATHER[rng.choice(len(_WEATHER), p=[float(w["share"]) for w in _WEATHER])]
    haze = rng.uniform(0.7, 1.3)
    ranges = map(numbers, (weather["elevation"], weather["strength"], weather["radius"]))
    key = _light(rng, *ranges, float(weather["tint"]))
    key = replace(key, color=tuple(np.array(key.color) * numbers(weather["color"])))
    zenith, horizon = numbers(weather["zenith"]), numbers(weather["horizon"])
    cover = rng.uniform(*numbers(weather["clouds"])) if weather["clouds"] else 0.0
    ground = _GROUNDS[rng.integers(len(_GROUNDS))]
    color, color2, tile = map(numbers, (ground["color"], ground["color2"], ground["tile"]))
    tone, tint = np.exp(rng.normal(0, 0.25)), 1 + 0.1 * rng.uniform(-1, 1, 3)
    silhouette = np.array([(0.035, 0.05, 0.02), (0.10, 0.10, 0.10), (0.16, 0.13, 0.10)])[
        rng.integers(3)
    ]
    distance = float(rng.uniform(15, 45))
    return RenderStyle(
        kind="outdoor",
        key=key,
        fills=(),
        sky=Sky(
            zenith=_scaled(zenith, haze),
            horizon=_scaled(horizon, haze * rng.uniform(0.8, 1.3)),
            glow=float(rng.uniform(0.02, 0.15)),
            cloud=_scaled((0.8, 0.8, 0.82), rng.uniform(0.6, 1.4)),
            cloud_cover=float(cover),
            cloud_variant=int(rng.integers(VARIANTS)),
        ),
        ground=GroundStyle(
            kind=ground["kind"],
            variant=int(rng.integers(VARIANTS)),
            color=tuple(np.clip(np.array(color) * tone * tint, 0, 0.6)),
            color2=tuple(np.clip(np.array(color2) * tone * tint, 0, 0.6)),
            contrast=float(rng.uniform(0.5, 1.3)),
            tile=float(rng.uniform(*tile)),
            angle=float(rng.uniform(-np.pi, np.pi)),
            offset=tuple(rng.uniform(0, 1, 2)),
            falloff=float(rng.uniform(0, 0.25)),
            pool_radius=float(rng.uniform(8, 20)),
        ),
        backdrop=Backdrop(
            distance=distance,
            color=_scaled(silhouette, haze * rng.uniform(0.8, 2.5)),
            height=float(distance * rng.uniform(0.25, 0.6)),
            variant=int(rng.integers(VARIANTS)),
        ),
        film=_film(rng, (-0.4, 0.35)),
    )


def paint(color: str, rng: np.random.Generator | None = None) -> RGB:
    """Return linear RGB of one of the vocabulary's colours; with `rng`, a random shade that is
    clearly of this colour.
    """
    linear = to_linear(np.array(COLORS_RGB[color]) / 255)
    if rng is not None:
        linear = linear * np.exp(rng.normal(0, 0.08)) * np.exp(rng.normal(0, 0.05, 3))
    return rgb(linear, 0.002, 0.95)


def sample_finish(material: str, rng: np.random.Generator) -> Finish:
    """Sample the surface of one of the vocabulary's materials; "paint" is car lacquer (outdoor
    images).
    """
    if material == "rubber":
        return Finish(0.0, float(rng.uniform(0.6, 0.9)), 0.0)
    if material == "metal":
        return Finish(float(rng.uniform(0.85, 1.0)), float(rng.uniform(0.15, 0.35)), 0.0)
    if material == "paint":
        metallic, roughness, clearcoat = rng.uniform((0.0, 0.35, 0.5), (0.35, 0.6, 1.0))
        return Finish(float(metallic), float(roughness), float(clearcoat))
    raise InputError(f"unknown material {material!r}: choose rubber, metal or paint")
