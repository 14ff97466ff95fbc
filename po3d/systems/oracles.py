"""The oracle of each world: gold programs on true tables."""

from po3d.benchmarks.base import World
from po3d.systems.pipeline import Oracle, System


def oracle_of(world: World) -> System:
    """Answers the questions of a world's benchmarks from their programs."""
    if world == "rooms":
        from po3d.systems.rooms import RoomOracle  # loads the room parser's network library

        return RoomOracle()
    from po3d.systems.scope import ScopeOracle
    from po3d.systems.sr import SrOracle

    return {"street": Oracle, "inside": SrOracle, "orbit": ScopeOracle}[world]()
