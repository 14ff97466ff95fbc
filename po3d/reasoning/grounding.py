"""Ground a description in a table: a probability for each row.

    "mug next to the laptop" ──► noun, attributes, relations ──► fit of each row ──► probabilities

Factors are multiplied: the noun (po3d.language.lexicon), attributes by the table's probabilities,
relations to the most probable landmark, and ranks ("second from the left") among the rows that
fit so far. Left, right, in front and behind are the viewer's. Evidence that the table lacks is
equal for all rows.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from po3d.language.descriptions import Description, Rank, describe
from po3d.language.lexicon import SAME, fits
from po3d.reasoning.body_relations import nearness
from po3d.reasoning.rules import THREEDSRBENCH_RULES
from po3d.reasoning.world import SceneGeometry
from po3d.scene.geometry import Array
from po3d.scene.table import Scene

# Weights of evidence, our choice. No factor is 0, so that other factors can outweigh it.
FLOOR = 0.06  # a relation that does not hold
# An attribute that does not hold; a table has probabilities of attributes, which tell more.
OTHER_VALUE = 0.01
# Factor for objects of another kind that the noun may mean ("armchair" for a chair) if an object of
# the table may have the noun itself as its name: its estimator distinguishes the two.
OTHER_KIND = 0.3
UNKNOWN = 0.5  # one that the table cannot decide
OUTRANKED = 0.1  # a row that fits but does not have the rank
COUNTS = 0.35  # fraction of the best weight from which a row takes part in a ranking
SURE = 0.25  # weight of the best row from which the object surely exists
PART = 0.3  # factor if only a part of the object is described ("the wheel of the bicycle")
LANDS = ("ground", "floor", "grass", "road", "street", "sidewalk")
ON_LAND = 0.35  # height in metres up to which an object is on such a surface


def ground(phrase: str, scene: Scene) -> list[float]:
    """Return a probability for every row of the scene; the remainder to 1 means "not there"."""
    return Grounder(scene).beliefs(describe(phrase)).tolist()


class Grounder:
    """Scores of how well a description fits each row of a scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.world = scene, SceneGeometry.of(scene, THREEDSRBENCH_RULES)
        self.position, self.extent = scene.positions, scene.extents
        self.names = [dict(o.beliefs.get("name", {})) or {o.name: 1.0} for o in scene.objects]
        if scene.camera is not None and len(scene):
            positions = scene.camera.cam_T_world.transform(scene.positions)
            self.across, self.depth = positions[:, 0], np.linalg.norm(positions, axis=1)
        else:
            right, ahead = (np.array(scene.axes[name]) for name in ("right", "behind"))
            self.across, self.depth = scene.positions[:, :2] @ right, scene.positions[:, :2] @ ahead

    def beliefs(self, d: Description) -> Array:
        """Return (n,) probabilities of a description."""
        weights = self.named(d.noun)
        if not weights.any():
            return self.part(d)
        for attribute, values in d.attributes:
            weights = weights * self.attribute(attribute, values)
        for relation, landmarks in d.relations:
            weights = weights * self.related(relation, landmarks, weights)
        for rank in d.ranks:
            weights = weights * self.ranked(rank, weights)
        best = float(weights.max(initial=0.0))
        if best <= 0:
            return np.zeros(len(self.scene))
        return weights / weights.sum() * min(1.0, best / SURE)

    def named(self, noun: str) -> Array:
        """Return (n,) how well the noun fits the name of each row."""
        if not noun:
            return np.ones(len(self.scene))
        fit: dict[str, float] = {}
        for row in self.names:
            for name in row:
                fit[name] = fits(noun, name)
        if SAME in fit.values():
            for name, value in fit.items():
                fit[name] = value if value == SAME else OTHER_KIND * value
        return np.array([sum(p * fit[name] for name, p in row.items()) for row in self.names])

    def part(self, d: Description) -> Array:
        """Return (n,) the probabilities for "the wheel of the car" where the table has no wheels:
        those of the car, times PART. The relation to the car is "part", "on" or "in"."""
        for relation, landmarks in d.relations:
            if relation in ("part", "on", "in"):
                return PART * self.beliefs(landmarks[0])
        return np.zeros(len(self.scene))

    def attribute(self, name: str, options: Sequence[str]) -> Array:
        """Return (n,) probabilities that an attribute has one of the values."""
        likelihood = np.full(len(self.scene), UNKNOWN)
        for i, state in enumerate(self.scene.objects):
            if name in state.beliefs:
                likelihood[i] = sum(state.beliefs[name].get(option, 0.0) for option in options)
        return OTHER_VALUE + (1 - OTHER_VALUE) * likelihood

    # --- relations --------------------------------------------------------------------------------

    def related(self, relation: str, landmarks: Sequence[Description], weights: Array) -> Array:
        """Return (n,) probabilities of a relation to the landmarks."""
        n = len(self.scene)
        noun = landmarks[0].noun
        if relation == "on" and noun in LANDS and not self.named(noun).any():
            low = np.array([thing.low for thing in self.world.things[:n]]) <= ON_LAND
            return FLOOR + (1 - FLOOR) * low
        beliefs = list(map(self.beliefs, landmarks))
        if relation in ("closest", "farthest"):
            return self._by_distance(beliefs[0], weights, 1 if relation == "closest" else -1)
        if relation == "between" and len(beliefs) == 2:
            return self._between(*beliefs)
        holds = np.zeros((n, n))
        for i, j in itertools.permutations(range(n), 2):
            holds[i, j] = self._holds(relation, i, j)
        belief = beliefs[0]
        likelihood = holds @ belief + UNKNOWN * max(0.0, 1 - float(belief.sum()))
        if relation == "with":  # carried objects often have no row of their own
            likelihood = UNKNOWN + (1 - UNKNOWN) * likelihood
        return FLOOR + (1 - FLOOR) * np.clip(likelihood, 0, 1)

    def _holds(self, relation: str, i: int, j: int) -> float:
        """Return how well a relation holds between two rows, in [0, 1]."""
        if relation in ("near", "with"):
            return self._near(i, j)
        if relation in ("on", "above", "in", "part"):
            return self._upon(i, j, relation)
        if relation == "under":
            return self._upon(j, i, "above")
        size = (self.extent[i].max() + self.extent[j].max()) / 2
        aside = (self.across[i] - self.across[j]) / size
        deeper = (self.depth[i] - self.depth[j]) / size
        if relation in ("left of", "right of"):
            return _more(aside if relation == "right of" else -aside)
        close = math.exp(-(aside**2) / 2)
        return _more(deeper if relation == "behind" else -deeper) * close

    def _near(self, i: int, j: int) -> float:
        return nearness(self.world.things[i], self.world.things[j], self.world.rules)

    def _upon(self, i: int, j: int, relation: str) -> float:
        over = self.world.over(i, j)
        higher = self.position[i, 2] > self.position[j, 2]
        distance = float(np.hypot(*(self.position[i, :2] - self.position[j, :2])))
        beside = distance > max(self.extent[j, :2].max(), self.extent[i, :2].max()) / 2
        if over > -0.1 or (higher and not beside):
            return 1.0
        return {"part": 0.4, "in": 0.4}.get(relation, 0.15) * self._near(i, j)

    def _between(self, first: Array, second: Array) -> Array:
        ground = self.position[:, :2]
        a = first @ ground / max(float(first.sum()), 1e-9)
        b = second @ ground / max(float(second.sum()), 1e-9)
        way = b - a
        length = max(float(np.hypot(*way)), 1e-6)
        offset = self.position[:, :2] - a
        along = offset @ way / length**2
        off = np.abs(offset @ np.array([-way[1], way[0]])) / length**2
        return FLOOR + (1 - FLOOR) * ((along > 0.05) & (along < 0.95)) * np.exp(-4 * off)

    # --- ranks ------------------------------------------------------------------------------------

    def _by_distance(self, landmark: Array, weights: Array, sign: int) -> Array:
        if not landmark.any():
            return np.full(len(self.scene), UNKNOWN)
        goal = int(landmark.argmax())
        away = np.linalg.norm(self.position - self.position[goal], axis=1)
        return self._first(sign * away, np.where(np.arange(len(weights)) == goal, 0.0, weights), 1)

    def ranked(self, rank: Rank, weights: Array) -> Array:
        """Return (n,) weights: 1 for the row with the rank, OUTRANKED for the others."""
        if rank.measure == "middle":
            fit = weights >= COUNTS * weights.max(initial=0.0)
            middle = np.median(self.across[fit]) if fit.sum() > 2 else 0.0
            return self._first(np.abs(self.across - middle), weights, 1)
        measures = {
            "across": self.across,
            "depth": self.depth,
            "size": self.extent.prod(1),
            "height": self.extent[:, 2],
            "level": self.position[:, 2],
        }
        return self._first(rank.sign * measures[rank.measure], weights, rank.place)

    def _first(self, measure: Array, weights: Array, place: int) -> Array:
        fit = []
        for i in np.argsort(measure, kind="stable"):
            if weights[i] >= COUNTS * weights.max(initial=0.0):
                fit.append(i)
        result = np.full(len(self.scene), OUTRANKED)
        if weights.any() and place <= len(fit):
            result[fit[place - 1]] = 1.0
        return result


def _more(difference: float) -> float:
    """Return in [0, 1] how clearly a difference, in object sizes, is positive."""
    return 1 / (1 + math.exp(-4 * float(difference)))
