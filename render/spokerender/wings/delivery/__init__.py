"""Delivery: what makes a GitOps engine apply each spoke's folder to its spoke."""

# The imports in functions are for the commands that deliver: start-up counts.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from spokerender.wings.wing import Wing

if TYPE_CHECKING:
    from spokerender.rendering.values.engines import EngineFacts
    from spokerender.wings.delivery.settings import DeliverySettings
    from spokerender.wings.part import Part, ProjectFiles


class _DeliveryWing(Wing):
    name = "delivery"

    def settings(self) -> type[DeliverySettings]:
        from spokerender.wings.delivery.settings import DeliverySettings

        return DeliverySettings

    def read(self, project: ProjectFiles) -> Part | None:
        from spokerender.wings.delivery.engines import DeliveryPart, engines_of

        switched_on = engines_of(project.settings(self.settings()).delivery)
        return DeliveryPart(switched_on, project) if switched_on else None

    def engines(self) -> Iterable[EngineFacts]:
        from spokerender.wings.delivery.engines import engine_facts

        yield engine_facts()


WING = _DeliveryWing()
