"""`spec.policyKinds`, from the fleet file to the catalogue of kinds."""

from __future__ import annotations

from render import codes
from render.config import read_fleet
from render.kinds import Merge, Merging, Process, Ties
from render.model import Origin
from render.pipeline import Project, Rendered, render
from tests.project import FLEET, rendered
from tests.stages import CLASS, GATEWAY, hub, placement

QUOTA = """\
apiVersion: example.com/v1
kind: QuotaPolicy
metadata: {name: quota, namespace: infra}
spec:
  targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}
"""
RULES = "- {gateways: {names: [infra/web]}, spokes: {all: true}}\n"


def with_kinds(kinds: str, *more: str) -> Rendered:
    settings = FLEET + "  policyKinds:\n" + kinds
    return rendered(hub(CLASS, GATEWAY, *more), placement(RULES), settings)


def test_what_is_left_out_is_as_gep_713_has_it() -> None:
    found = with_kinds("  - {group: example.com, kind: QuotaPolicy}\n", QUOTA)
    kind = found.hub.catalogue.kind("example.com", "QuotaPolicy")
    assert kind.merging == Merging(Process.GEP_713)
    assert not [r for r in found.results if r.code == codes.UNUSED_POLICY_KIND.code]


def test_everything_reaches_the_catalogue() -> None:
    found = with_kinds(
        "  - {group: example.com, kind: QuotaPolicy, process: single-policy-per-route, "
        "strategy: patch, rules: [a.*, when], substance: a, condition: when, oneEach: true, "
        "ties: unbroken, security: true, targets: [HTTPRoute]}\n",
        QUOTA,
    )
    kind = found.hub.catalogue.kind("example.com", "QuotaPolicy")
    assert kind.merging == Merging(
        process=Process.SINGLE,
        rules=("a.*", "when"),
        substance="a",
        condition="when",
        default=Merge.PATCH,
        ties=Ties.UNBROKEN,
        one_each=True,
    )
    assert (kind.security, kind.targets) == (True, ("HTTPRoute",))


def test_a_kind_that_is_nowhere_is_told_with_its_line() -> None:
    settings = FLEET + (
        "  policyKinds:\n"
        "  - {group: kuadrant.io, kind: DNSPolicy}\n"
        "  - {group: kuadrant.io, kind: AuthPolcy}\n"
        "  - {group: example.com, kind: QuotaPolicy}\n"
    )
    fleet = read_fleet(("fleet.yaml", settings.encode()))
    project = Project(fleet.model, [], [], {}, fleet_at=fleet.at)
    told = [r for r in render(project).results if r.code == codes.UNUSED_POLICY_KIND.code]
    assert [(r.field, r.origin, r.message, r.cure) for r in told] == [
        (
            "spec.policyKinds[1]",
            Origin("fleet.yaml", 0, 7),
            "nobody knows AuthPolcy.kuadrant.io, and the hub has no object of that kind",
            'did you mean "AuthPolicy.kuadrant.io"?',
        ),
        (
            "spec.policyKinds[2]",
            Origin("fleet.yaml", 0, 8),
            "nobody knows QuotaPolicy.example.com, and the hub has no object of that kind",
            "take the entry out",
        ),
    ]


def test_without_a_place_the_file_is_named() -> None:
    found = with_kinds("  - {group: example.com, kind: QuotaPolicy}\n")
    (told,) = [r for r in found.results if r.code == codes.UNUSED_POLICY_KIND.code]
    assert told.origin == Origin("fleet.yaml")
