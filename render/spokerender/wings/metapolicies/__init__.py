"""Metapolicies: policies of a higher level become core policies, as pure functions of a topology.

A definition says which kind is a metapolicy and what becomes of its objects; each definition is a
stage of its own, behind those that write what it reads. How it is written is a row of `ways`.
Assertions are expressions of the same language that must hold on every spoke.
"""

# The imports in functions are for the projects that have metapolicies: start-up counts.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from spokerender.wings.wing import Wing

if TYPE_CHECKING:
    from spokerender.config.base import Model
    from spokerender.wings.metapolicies.settings import MetapolicySettings
    from spokerender.wings.part import Part, ProjectFiles


class _MetapolicyWing(Wing):
    name = "metapolicies"
    commands: ClassVar[Mapping[str, str]] = {
        "metapolicies": "List the kinds of metapolicies, what they read and write, and their "
        "order.",
        "query": "Evaluate a CEL expression over the topology of the spokes.",
    }

    def settings(self) -> type[MetapolicySettings]:
        from spokerender.wings.metapolicies.settings import MetapolicySettings

        return MetapolicySettings

    def read(self, project: ProjectFiles) -> Part | None:
        settings = project.settings(self.settings())
        version = settings.kuadrant_version
        if not (settings.metapolicies or version is not None or settings.assertions):
            return None
        from spokerender.wings.metapolicies.part import read_metapolicies

        return read_metapolicies(project)

    def documents(self) -> Mapping[str, type[Model]]:
        from spokerender.wings.metapolicies.config import ExtensionFile, MetapolicyDefinition

        return {"MetapolicyDefinition": MetapolicyDefinition, "Extension": ExtensionFile}

    def paths(self, settings: MetapolicySettings) -> Mapping[str, Sequence[str]]:
        return {"metapolicies": settings.metapolicies}


WING = _MetapolicyWing()
