"""A fleet of spokes by name, delivered."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from spokerender.edge.files import OnDisk
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.model import Origin, Spoke
from spokerender.wings.combined import all_engines, read_fleet
from spokerender.wings.delivery.engine import Delivered
from spokerender.wings.delivery.engines import DeliveryPart, engines_of
from spokerender.wings.delivery.settings import Delivery
from spokerender.wings.part import ProjectFiles, RenderedSpokes, Texts
from tests.support import cyaml


def deliver(settings: object, fleet: RenderedSpokes) -> tuple[Sequence[Texts], tuple[Result, ...]]:
    """The files of the engines that are switched on, and what is wrong with them."""
    project = ProjectFiles(OnDisk(Path("nowhere")), read_fleet(None))
    marked = replace(fleet.catalogue, marks=all_engines().marks)
    whole = replace(fleet, catalogue=marked)
    return DeliveryPart(engines_of(settings), project).deliver(whole)


def delivered(
    settings: Delivery, spokes: Sequence[str], output: str, texts: Mapping[str, str]
) -> dict[str, tuple[dict[str, Any], ...]]:
    """The objects in each file of the fleet's folder.

    Raises:
        InputError: something is wrong.

    """
    fleet = Delivered(output, [spoke(name) for name in sorted(spokes)], lambda _: (), texts)
    files, results = deliver(settings, fleet)
    if results:
        raise InputError(results)
    return {path: tuple(cyaml.safe_load_all(text)) for part in files for path, text in part.items()}


def spoke(name: str, values: Mapping[str, Any] | None = None, **labels: str) -> Spoke:
    """A spoke with values and labels."""
    return Spoke(name, labels, values or {}, lambda *_: Origin("placement.yaml"))
