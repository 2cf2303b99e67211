"""Delivery: what makes a GitOps engine apply each spoke's folder to its spoke."""

# The imports in functions are for the commands that deliver: start-up counts.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING

from spokerender.wings.wing import Wing

if TYPE_CHECKING:
    from spokerender.config.base import Model
    from spokerender.kinds.marks import Marks
    from spokerender.rendering.values.engines import EngineObjects, FolderRules
    from spokerender.wings.part import Part, ProjectFiles


def _settings() -> type[Model]:
    from spokerender.wings.delivery.settings import DeliverySettings

    return DeliverySettings


def _read(project: ProjectFiles) -> Part | None:
    from spokerender.wings.delivery.engines import engines_of
    from spokerender.wings.delivery.settings import DeliverySettings

    switched_on = engines_of(project.settings(DeliverySettings).delivery)
    if not switched_on:
        return None
    from spokerender.wings.delivery.part import DeliveryPart

    return DeliveryPart(switched_on, project)


def _marks() -> Marks:
    from spokerender.wings.delivery.engines import engine_marks

    return engine_marks()


def _engine_objects() -> tuple[EngineObjects, ...]:
    from spokerender.wings.delivery.engines import engine_objects

    return engine_objects()


def _folder_rules() -> FolderRules:
    from spokerender.wings.delivery.engines import folder_rules

    return folder_rules()


WING = Wing(
    name="delivery",
    settings=_settings,
    read=_read,
    marks=_marks,
    engine_objects=_engine_objects,
    folder_rules=_folder_rules,
)
