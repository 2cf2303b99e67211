"""How much may come about between objects: what is found between them is a product of lists.

A few gateways with all the listeners that they may have, and routes that name all of them, make
more paths than files have letters; so do routes that delegate to routes that delegate. Honest
fleets have a few dozen paths for each object, however large they are.
"""

from __future__ import annotations

from typing import Any, Protocol

from spokerender.findings.codes.hub import TOO_MANY_PATHS
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.model import Ref

MOST = 20_000
MOST_FOR_EACH = 15
"""As many more for each object that there is."""
MOST_FOR_RULE = 6
"""And for each rule of a route: that one may be on the listeners of several gateways."""
_ALLOWED = "allowed"


class Counting(Protocol):
    """What of a topology is asked here."""

    nodes: dict[Ref, Any]
    kept: dict[Any, Any]


def spend(topology: Counting, what: str, around: object, count: int = 1) -> None:
    """Count what is found in a topology, or a step that leads there.

    Args:
        topology: where it is looked for.
        what: the sort of it; each has a count of its own.
        around: what else was asked (`namespaces` of those who ask): a count of its own, too.
        count: how much of it.

    Raises:
        InputError: it is too much.

    """
    most = _most(topology)
    key = ("count", what, id(around))
    spent = topology.kept[key] = topology.kept.get(key, 0) + count
    if spent > most:
        raise InputError((_too_many(topology, what, most),))


def _most(topology: Counting) -> int:
    """How much may come about between the objects that there are; it is worked out once."""
    most = topology.kept.get(_ALLOWED)
    if most is None:
        rules = sum(len(node.rules) for node in topology.nodes.values())
        most = MOST + MOST_FOR_EACH * len(topology.nodes) + MOST_FOR_RULE * rules
        topology.kept[_ALLOWED] = most
    return int(most)


def _too_many(topology: Counting, what: str, most: int) -> Result:
    nodes = topology.nodes.values()
    parents = [node for node in nodes if node.listeners]
    listeners = sum(len(node.listeners) for node in parents)
    routes = sum(node.is_route for node in nodes)
    return TOO_MANY_PATHS.result(
        f"{len(parents):,} gateways and ListenerSets with {listeners:,} listeners, and {routes:,} "
        f"routes: together they have more than {most:,} {what}",
        cure="name the listener that is meant in parentRefs (sectionName), delegate to fewer "
        "routes, or split the hub",
    )
