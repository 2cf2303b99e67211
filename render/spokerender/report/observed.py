"""Print what spokes report of policies: a table, JSON, and YAML in the form of GEP-713."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from msgspec import to_builtins

from spokerender.explain.observed.values import ObservedCondition, ObservedStatus
from spokerender.findings.phrasing import on_spokes
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.model import Ref
from spokerender.report.routing import CONTROLLER
from spokerender.report.serializing import json_text, with_causes, write_ancestor
from spokerender.report.terminal import columns

_HEADER = ("POLICY", "FOR", "CONDITION", "EXPECTED", "OBSERVED", "SPOKES")


def observed_table(statuses: Sequence[ObservedStatus], total: int | None) -> str:
    """Print a row for each condition of a policy; spokes where it is the same are one row."""
    rows = [
        (
            f"{status.policy.hub.kind} {status.policy.hub.full_name}",
            str(status.policy.ancestor),
            *condition,
            on_spokes(sorted(names), total).removeprefix("on "),
        )
        for status in statuses
        for condition, names in _alike(status).items()
    ]
    return "".join(f"{line}\n" for line in columns([_HEADER, *rows]))


def _alike(status: ObservedStatus) -> dict[tuple[str, str, str], list[str]]:
    spokes: dict[tuple[str, str, str], list[str]] = {}
    for item, names in status.spokes_of.items():
        expected = str(item.expected) if item.expected is not None else "-"
        seen = str(item.observed) if item.observed == "True" else f"{item.observed} {item.reason}"
        spokes.setdefault((item.type, expected, seen), []).extend(names)
    return spokes


def observed_json(
    statuses: Sequence[ObservedStatus],
    consumers: Sequence[dict[str, Any]],
    results: Sequence[Result],
) -> str:
    """Print the conditions on every spoke, the sum of each, what consumers get, and findings."""
    policies = [
        {
            "hub": status.policy.hub,
            "file": status.policy.origin,
            "ancestor": status.policy.ancestor,
            "conditions": [to_builtins(status.summary(type_)) for type_ in status.types],
            "spokes": [_members(*item) for item in status.list_by_spoke()],
        }
        for status in statuses
    ]
    of_consumers = {"consumers": consumers} if consumers else {}
    return json_text({"policies": policies, **of_consumers, "results": with_causes(results)})


def _members(spoke: str, item: ObservedCondition) -> dict[str, Any]:
    return {
        "spoke": spoke,
        "type": item.type,
        "expected": item.expected,
        "observed": item.observed,
        "reason": item.reason,
    }


def observed_yaml(statuses: Sequence[ObservedStatus]) -> str:
    """Print each hub policy with the status that its spokes give it (GEP-713, `PolicyStatus`)."""
    return "---\n".join(
        yamlio.emit(_policy(hub, list(group)))
        for hub, group in groupby(statuses, attrgetter("policy.hub"))
    )


def _policy(hub: Ref, statuses: Sequence[ObservedStatus]) -> dict[str, Any]:
    namespace = {"namespace": hub.namespace} if hub.namespace else {}
    return {
        "apiVersion": statuses[0].policy.version,
        "kind": hub.kind,
        "metadata": {"name": hub.name, **namespace},
        "status": {
            "ancestors": [
                {
                    "ancestorRef": write_ancestor(status.policy.ancestor),
                    "controllerName": CONTROLLER,
                    "conditions": [to_builtins(status.summary(type_)) for type_ in status.types],
                }
                for status in statuses
            ]
        },
    }
