"""What of an object protection depends on: a change of nothing else can open no door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spokerender.judging.effective import AttachedPolicy
from spokerender.judging.effective.declared import declared
from spokerender.kinds import Catalogue, Kind, read
from spokerender.model.shapes import as_list
from spokerender.rendering.values.bundles import Variant
from spokerender.topology import PARENTS

_LOOKED_INTO = frozenset({("", "Service"), ("", "ConfigMap")})
"""What attachment looks into (`spokerender.judging.judge`)."""
_TARGETS = ("targetRef", "targetRefs", "targetSelectors")


def facts(item: Variant, catalogue: Catalogue) -> object:
    """What is equal for texts between which no protection can change."""
    kind = catalogue.kind(item.ref.group, item.ref.kind)
    if kind.security:
        return item.node, _of_policy(item, kind)
    if (kind.group, kind.kind) in _LOOKED_INTO:
        return item.node, item.object
    if item.node.is_route:
        return item.node, _matches(item.object)
    return None if kind.is_policy else item.node


def opens_nothing(item: Variant, catalogue: Catalogue) -> bool:
    """Whether an object may come or go and every other one is protected as before.

    What a gateway or a route takes along is gone with it, and is told as that.
    """
    kind = catalogue.kind(item.ref.group, item.ref.kind)
    if kind.security:
        return False
    is_parent = (item.ref.group, item.ref.kind) in PARENTS
    return is_parent or item.node.is_route or kind.is_policy


def _of_policy(item: Variant, kind: Kind) -> object:
    """All of its `spec`, but of kinds whose rules are known: those are carried, whatever they say.

    Their names count, and whether there are any.
    """
    spec = item.object.get("spec")
    if not isinstance(spec, Mapping) or kind.merging is None or not kind.merging.rules:
        return spec
    blocks = declared(AttachedPolicy(item.ref, kind, spec, ()))
    return (
        [
            (
                *(each.side, each.strategy, each.asked, each.beside, each.ignored, each.scope),
                *(each.is_empty, list(each.rules)),
            )
            for each in blocks
        ],
        sorted(map(str, spec)),
        [spec.get(name) for name in _TARGETS],
    )


def _matches(route: Mapping[str, Any]) -> object:
    """What policies may repeat of a route's rules, to be for these only."""
    rules = read(route, ("spec", "rules"))
    return [read(rule, ("matches",)) for rule in as_list(rules)]
