"""What the tests of effective policies share: kinds by process, policies by their YAML, paths."""

from collections.abc import Iterable, Mapping
from typing import Any

from spokerender.judging.effective.outcomes import AttachedPolicy, EffectivePolicy, PolicyOutcome
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Merge, Merging, Process, Ties
from spokerender.model import GATEWAY_API, Ref
from spokerender.topology.graph import Topology
from tests.support import manifest
from tests.support.stages import graph, values

CATALOGUE = Catalogue.of([])
ROUTED = ("Gateway", "HTTPRoute")


def kind(process: Process, name: str = "ColorPolicy", **more: Any) -> Kind:
    """A kind that nobody has, whose policies come together by a process.

    `more` are fields of its Merging, and of the kind itself `targets` and `references`.
    """
    targets = more.pop("targets", ROUTED)
    references = more.pop("references", ())
    return Kind(
        "example.com",
        name,
        merging=Merging(process, **more),
        targets=targets,
        references=references,
    )


KUADRANT = kind(Process.KUADRANT, rules=("rules.*",), substance="rules")
GEP_713 = kind(Process.GEP_713, rules=("rules.*",), substance="rules")
PATCH = kind(Process.GEP_713, default=Merge.PATCH)
NONE = kind(Process.NONE)
UNBROKEN = kind(Process.NONE, ties=Ties.UNBROKEN)
ALL = kind(Process.ALL)
SINGLE = kind(Process.SINGLE)

GATEWAY = manifest(
    "Gateway ns/gw", "gatewayClassName: class, listeners: [{name: lis, port: 80, protocol: HTTP}]"
)
ROUTE = manifest("HTTPRoute ns/route", "parentRefs: [{name: gw}], rules: [{name: rule}]")
ONE_PATH = f"{GATEWAY}---\n{ROUTE}"
"""One gateway, one listener, one route, one rule: one path, with six levels."""
OF_NO_CLASS = ONE_PATH.replace("gatewayClassName: class, ", "")
"""The same path, on which policies of every vendor are known to count."""

TARGETS = {
    "class": Ref(GATEWAY_API, "GatewayClass", "", "class"),
    "gw": Ref(GATEWAY_API, "Gateway", "ns", "gw"),
    "lis": Ref(GATEWAY_API, "Gateway", "ns", "gw", "lis"),
    "route": Ref(GATEWAY_API, "HTTPRoute", "ns", "route"),
    "rule": Ref(GATEWAY_API, "HTTPRoute", "ns", "route", "rule"),
}
"""The levels of the one path, the least specific first."""


def one_path() -> Topology:
    """The topology of the one path."""
    return graph(ONE_PATH)


def ref(of: Kind, name: str, namespace: str = "ns") -> Ref:
    """A policy's identity."""
    return Ref(of.group, of.kind, namespace, name)


def policy(of: Kind, name: str, target: Ref | str, spec: str | Mapping[str, Any]) -> AttachedPolicy:
    """A policy on one target; `spec` as YAML or as data."""
    data = values(spec)[0] if isinstance(spec, str) else spec
    return AttachedPolicy(
        ref(of, name), of, data, (TARGETS[target] if isinstance(target, str) else target,)
    )


def attached(data: Mapping[str, Any], of: Kind | None = None) -> AttachedPolicy:
    """A policy from its manifest, on its `targetRef`; of the table's kind if none is given."""
    group = str(data.get("apiVersion", "")).rpartition("/")[0]
    row = of or CATALOGUE.kind(group, data["kind"])
    namespace = data["metadata"].get("namespace", "ns")
    target = data["spec"]["targetRef"]
    at = Ref(
        target.get("group", GATEWAY_API),
        target["kind"],
        namespace,
        target["name"],
        target.get("sectionName", ""),
    )
    return AttachedPolicy(
        Ref(row.group, row.kind, namespace, data["metadata"]["name"]), row, data["spec"], (at,)
    )


def ages(*names: str, of: Kind) -> dict[Ref, int]:
    """Ages in the order of the names, the oldest first."""
    return {ref(of, name): number for number, name in enumerate(names)}


def in_force(outcome: PolicyOutcome) -> dict[str, Any]:
    """Values by key."""
    return {rule.key: rule.value for rule in outcome.rules}


def sources(outcome: PolicyOutcome) -> dict[str, str]:
    """Names of the policies by key."""
    return {rule.key: rule.policy.name for rule in outcome.rules}


def lost(outcome: PolicyOutcome) -> dict[tuple[str, str], tuple[str, str]]:
    """What was overruled: by the policy's name and the key, the overruler's name and why."""
    return {(item.policy.name, item.key): (item.by.name, item.why) for item in outcome.overruled}


def by_rule(found: Iterable[EffectivePolicy]) -> dict[str, PolicyOutcome]:
    """Likely outcomes by `route#rule`; where a route has several parents the last one counts."""
    return {
        f"{item.path.route.name}#{item.path.rule}": item.likely
        for item in found
        if item.path.route is not None
    }
