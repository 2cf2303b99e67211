"""A fleet of spokes by name, delivered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from spokerender.findings.errors import InputError
from spokerender.model import Origin, Spoke
from spokerender.wings.delivery import Delivered, deliver
from spokerender.wings.delivery.config import Delivery


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
    return {path: tuple(yaml.safe_load_all(text)) for part in files for path, text in part.items()}


def spoke(name: str, values: Mapping[str, Any] | None = None, **labels: str) -> Spoke:
    """A spoke with values and labels."""
    return Spoke(name, labels, values or {}, lambda *_: Origin("placement.yaml"))
