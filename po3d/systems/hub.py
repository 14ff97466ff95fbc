"""Model folders, as published on hubs: config.json, model.safetensors and a model card.

The texts of the cards are in cards.yaml.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from po3d.io import hub
from po3d.io.errors import InputError, malformed, visible
from po3d.io.files import atomic_write, read_json
from po3d.io.text_tables import Table, interval_text, markdown
from po3d.systems.domain import DOMAIN_MODULES, domain

CARDS = Path(__file__).with_name("cards.yaml")
NETWORKS = ("perception", "parser_checkpoint")  # options that name checkpoints
NOT_STORED = (*NETWORKS, "device")


def save(
    world: str, options: Mapping[str, Any], folder: Path, report: str | Path | None = None
) -> None:
    """Write the folder of the model `po3d.load(world, **options)`. `report`: a report.json with the
    figures for the card."""
    from po3d.io.checkpoint import SHIPPED, combine, locate
    from po3d.io.checkpoint_schemas import ModelOptions
    from po3d.io.schemas import checked

    complete = {**domain(world).options, **options}
    pairs = []
    for name in NETWORKS:
        if (checkpoint := complete.get(name)) is None:
            continue
        if not isinstance(checkpoint, str | Path):
            raise InputError(
                f"a model folder stores checkpoints by name; the option {name} is an object"
            )
        pairs.append(locate(checkpoint))
    stored = {}
    for name, value in options.items():
        if name in NOT_STORED:
            continue
        if not isinstance(value, str | int | float | list | tuple):
            raise InputError(f"a model folder cannot store the option {name}")
        stored[name] = value
    checked(ModelOptions, stored, "a model folder's options")
    figures = "" if report is None else _figures(Path(report))
    config = combine(pairs, folder, {"library_name": "po3d", "world": world, "options": stored})
    with atomic_write(folder / "README.md") as file:
        file.write(_card(config, all(pair.parent == SHIPPED for pair in pairs), figures))


def opened(name: str | Path) -> tuple[str, dict[str, Any]]:
    """Return (domain, options) of a model folder or a hub address; InputError if it
    is not a model of po3d."""
    from po3d.io.checkpoint import folder_config

    folder = hub.fetch(str(name)) if str(name).startswith(hub.SCHEME) else Path(name)
    config = folder_config(folder)
    world, options = config["world"], config.get("options", {})
    if world not in DOMAIN_MODULES:
        raise InputError(f"model folder {folder}: unknown world {visible(world)!r}")
    known = domain(world).options
    for option in options:
        if option not in known or option in NOT_STORED:
            raise InputError(f"model folder {folder}: unknown option {visible(option)!r}")
    options = dict(options)
    for option in NETWORKS:
        if option in known:
            options[option] = str(folder.resolve())
    return world, options


def _figures(path: Path) -> str:
    """Return the rows of a report.json as markdown."""
    report: Any = read_json(path, "report")
    with malformed(f"{path} is not a report.json"):
        rows = []
        for row in report["rows"]:
            rows.append([row["name"], row["n"], row["value"], interval_text(row)])
        title = (
            f"{report['benchmark']} {report['split']}, {report['images']} images, scorer"
            f" {report['scorer']}"
        )
    header = ("category", "questions", "right (%)", "95 % interval")
    return f"{title}:\n\n{markdown(Table(header, rows))}"


def _card(config: Mapping[str, Any], shipped: bool, figures: str) -> str:
    """Return README.md with its YAML header. Training data: only for `shipped` networks."""
    words = yaml.safe_load(CARDS.read_text(encoding="utf-8"))
    card_words = words["worlds"][config["world"]]
    parts = []
    for kind, record in config["parts"].items():
        steps = record["training"].get("steps")
        details = [f"{record['parameters']:,} parameters", *([f"{steps:,} steps"] if steps else [])]
        parts.append(f"- `{kind}`: {', '.join(details)}")
    head = yaml.safe_dump(
        {**words["head"], "tags": [*words["head"]["tags"], config["world"]]}, sort_keys=False
    )
    body = words["card"].format(
        **{**card_words, "data": card_words["data"] if shipped else words["own_data"]},
        parts="\n".join(parts),
        figures=figures or words["no_figures"],
    )
    return f"---\n{head}---\n\n{body}"
