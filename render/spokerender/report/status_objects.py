"""The status of each policy: as JSON, and as YAML that a cluster would show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from spokerender.explain.answers import PolicyStatus
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.judging.attachment.statuses import Condition
from spokerender.model import ObjectName, Ref
from spokerender.rendering.values.rendered import ConsumerStatus
from spokerender.report.findings import (
    json_text,
    origin_value,
    ref_value,
    result_value,
    results_member,
)
from spokerender.report.reports import Look, StatusReport

CONTROLLER = "spokerender.io/render"
"""Who says so: a status has to name a controller, and which one it will be no file tells."""

LIKELY = (
    "only the cluster knows which policy is older; this is the outcome where all are made at once"
)
NOWHERE = "on no spoke: the status that it would get on the hub"


def status_json(report: StatusReport, _: Look) -> str:
    """The statuses, for programs."""
    if report.consumers is not None:
        return json_text([_consumer(item) for item in report.consumers])
    return statuses_json(report.statuses, report.results)


def status_yaml(report: StatusReport, _: Look) -> str:
    """The statuses as a cluster would show them."""
    if report.consumers is not None:
        return consumers_yaml(report.consumers)
    return statuses_yaml(report.statuses)


def consumers_yaml(consumers: Sequence[ConsumerStatus]) -> str:
    """What each consumer sees of an object, a document for each spoke."""
    return "---\n".join(yamlio.emit(_consumer(item)) for item in consumers)


def _consumer(item: ConsumerStatus) -> dict[str, Any]:
    made = {
        "workspace": item.workspace,
        "object": str(ObjectName.of(item.object)),
        "spoke": item.spoke,
        "status": item.status,
    }
    names = [str(ObjectName.of(ref)) for ref in item.related]
    return made | ({"related": names} if names else {})


def statuses_json(statuses: Sequence[PolicyStatus], results: Iterable[Result] = ()) -> str:
    """The statuses as one JSON object with the list `policies`, and `results` if there are any."""
    return json_text(
        {
            "policies": [
                {
                    "resourceRef": ref_value(status.policy),
                    "hub": ref_value(status.hub),
                    "file": origin_value(status.origin),
                    "spokes": list(status.spokes),
                    "isLikely": status.is_likely,
                    "findings": [result_value(each) for each in status.results],
                    "status": _status(status),
                }
                for status in statuses
            ],
            **results_member(results),
        }
    )


def statuses_yaml(statuses: Sequence[PolicyStatus]) -> str:
    """Each policy with its `status`, in the form that GEP-713 gives it (`PolicyStatus`)."""
    return "---\n".join(
        "".join(f"# {line}\n" for line in _comments(status)) + yamlio.emit(_object(status))
        for status in statuses
    )


def _comments(status: PolicyStatus) -> Iterator[str]:
    """What the form of GEP-713 has no place for: where it is so, and whether that is certain."""
    yield ", ".join(status.spokes) or NOWHERE
    if status.is_likely:
        yield f"likely: {LIKELY}"


def _object(status: PolicyStatus) -> dict[str, Any]:
    ref = status.policy
    namespace = {"namespace": ref.namespace} if ref.namespace else {}
    return {
        "apiVersion": status.version,
        "kind": ref.kind,
        "metadata": {"name": ref.name, **namespace},
        "status": _status(status),
    }


def _status(status: PolicyStatus) -> dict[str, Any]:
    """A transition time would need a clock, and is left out."""
    if not status.has_ancestors:
        return {"conditions": [_condition(item) for item in status.ancestors[0].conditions]}
    return {
        "ancestors": [
            {
                "ancestorRef": _ancestor_ref(ancestor.ancestor),
                "controllerName": CONTROLLER,
                "conditions": [_condition(item) for item in ancestor.conditions],
            }
            for ancestor in status.ancestors
        ]
    }


def _condition(item: Condition) -> dict[str, str]:
    return {
        "type": item.type,
        "status": str(item.status),
        "reason": item.reason,
        "message": item.message,
    }


def _ancestor_ref(ref: Ref) -> dict[str, str]:
    parts = {
        "group": ref.group,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "name": ref.name,
        "sectionName": ref.section_name,
    }
    return {key: text for key, text in parts.items() if text or key == "group"}
