"""A rendered fleet is judged: which findings there are, where they point, and on which spokes."""

from typing import Any

import pytest

from spokerender.findings.results import INFO
from spokerender.judging.attachment.statuses import Truth
from spokerender.judging.fleet import objects
from spokerender.judging.fleet.judged import Aspect, JudgedFleet
from spokerender.pipeline import judge
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.provenance import History
from spokerender.rendering.values.rendered import Rendered
from tests.support import cases, each, manifest, stages, text_of
from tests.support.judged import CRD, WEB, about, dns, policies_of

WEIGHTS = """\
- {name: ap, values: {weight: 50}}
- {name: eu, values: {weight: 60}}
- {name: us, values: {weight: 500}}
"""
NAMES = WEIGHTS.replace("weight: ", "name: n")
OVERRIDE = text_of(__file__, "fleet_override.yaml")
HEAVY = "spec.weight: Invalid value: 500: spec.weight in body should be less than or equal to 100"
TWO = [dns(), dns(name="again")]
UNBROKEN = (
    "has the same target as DNSPolicy infra/again: Gateway infra/web. Their controller breaks no "
    "tie, so applied within one second they are all carried out, against each other"
)


def accepted(judged_fleet: JudgedFleet) -> dict[str, dict[str, tuple[Truth, str]]]:
    """The condition `Accepted` of every policy, by spoke and name."""
    return {
        spoke: {
            item.policy.name: (item.accepted.status, item.accepted.reason)
            for item in judged.judgement.attachments.values()
        }
        for spoke, judged in judged_fleet.judged.items()
    }


FINE = (Truth.TRUE, "Accepted")
INVALID = (Truth.FALSE, "Invalid")


@cases(
    ({Aspect.POLICIES}, ["SR2114"], FINE),
    ({Aspect.VALIDATION}, ["SR2301"], None),
    ({Aspect.POLICIES, Aspect.VALIDATION}, ["SR2301"], INVALID),
    ids=["policies", "validation", "both"],
)
def test_aspects(aspects: set[Aspect], codes: list[str], reason: Any) -> None:
    """What the API server refuses contends with nobody; alone, nobody knows that it refuses it."""
    found = stages.render([*WEB, dns("weight: 500"), dns(name="again"), CRD])
    judged = judge(found, (), *aspects)
    told = [result.code for result in judged.results if result.severity is not INFO]
    assert told == codes
    expected = {} if reason is None else {"again": FINE, "dns": reason}
    assert accepted(judged) == ({} if reason is None else {"eu": expected, "us": expected})
    assert set(judged.bundles) == {"eu", "us"}


def test_a_refused_policy_has_the_words_of_the_api_server() -> None:
    judged = judge(stages.render([*WEB, dns("weight: 500"), CRD]))
    (found,) = judged.judged["eu"].judgement.attachments.values()
    assert found.accepted.message == HEAVY
    assert found.targets == ()
    assert judged.judged["eu"].judgement.effective == ()


def test_a_fault_that_spokes_share_is_traced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its line costs as much as the object has overrides; the spokes' own values don't count."""
    traced: list[Bundle] = []

    class Counted(History):
        def __init__(self, rendered: Rendered, bundle: Bundle, variant: Variant) -> None:
            traced.append(bundle)
            super().__init__(rendered, bundle, variant)

    monkeypatch.setattr(objects, "History", Counted)
    own = OVERRIDE.replace("spec:\n      weight", "metadata:\n      labels:\n        weight")
    own = own.replace(".weight", ".name")
    rendered = stages.render([*WEB, dns("weight: 500"), CRD], spokes=NAMES, overrides=own)
    lines = about(judge(rendered), "DNSPolicy")
    assert lines == [f"error SR2301 DNSPolicy infra/dns {HEAVY} [ap eu us] (hub/hub.yaml:38)"]
    assert len(rendered.bundles["ap"].values) == 1
    assert len(traced) == 1


def test_one_spoke_of_several_has_a_value_that_is_invalid() -> None:
    """The override that wrote it is told, and the two others are judged as one."""
    found = stages.render([*WEB, dns(), CRD], spokes=WEIGHTS, overrides=OVERRIDE)
    judged = judge(found)
    (line,) = about(judged, "DNSPolicy")
    assert line == f"error SR2301 DNSPolicy infra/dns {HEAVY} [us] (placement.yaml:16)"
    assert str(found.decision.overrides[0].origin) == "placement.yaml:12"
    assert accepted(judged) == {"ap": {"dns": FINE}, "eu": {"dns": FINE}, "us": {"dns": INVALID}}
    assert judged.judged["ap"] is judged.judged["eu"]
    assert judged.judged["ap"].blueprint is judged.judged["us"].blueprint


def test_the_hub_wrote_what_is_invalid_everywhere() -> None:
    found = stages.render([*WEB, dns("weight: 500"), CRD], spokes=WEIGHTS)
    (line,) = about(judge(found), "DNSPolicy")
    (policy,) = (each for each in found.hub.manifests if each.ref.kind == "DNSPolicy")
    line_number = policy.origin.line + 3  # apiVersion, kind, metadata, spec
    assert line == (
        f"error SR2301 DNSPolicy infra/dns {HEAVY} [ap eu us] (hub/hub.yaml:{line_number})"
    )


@each("hub", "files")
def test_crds_are_in_the_hub_or_in_files(place: str) -> None:
    documents = [*WEB, dns("weight: 500"), *([CRD] if place == "hub" else [])]
    files = [("crds/dns.yaml", CRD.encode())] if place == "files" else []
    judged = judge(stages.render(documents), files)
    codes = [result.code for result in judged.results if result.code in {"SR2301", "SR2307"}]
    assert codes == ["SR2301"]
    assert [release.product for release in judged.gaps.assumed] == ["gateway-api"]


def test_without_a_crd_of_the_project_the_newest_judges() -> None:
    judged = judge(stages.render([*WEB, dns("weight: 500")]))
    assert HEAVY not in [result.message for result in judged.results]
    assert [release.product for release in judged.gaps.assumed] == ["gateway-api", "kuadrant"]
    assert judged.gaps.unvalidated == ()


def test_a_version_that_one_spoke_does_not_serve() -> None:
    """ListenerSet became v1 with v1.5.0 of the Gateway API (its release notes)."""
    more = manifest(
        "ListenerSet infra/more",
        "parentRef: {name: web}, listeners: [{name: extra, port: 81, protocol: HTTP}]",
    )
    spokes = """\
    - {name: eu, gatewayAPI: {bundle: v1.4.1, channel: standard}}
    - {name: us, gatewayAPI: {bundle: v1.5.0, channel: standard}}
    - {name: ap}
    """
    gateway = stages.gateway("web", spec="allowedListeners: {namespaces: {from: Same}}")
    found = stages.render([stages.CLASS, gateway, more], spokes=spokes)
    told = [
        result for result in judge(found).results if result.resource and result.code != "SR2307"
    ]
    (result,) = [result for result in told if "ListenerSet" in str(result.resource)]
    assert (result.severity, result.spokes) == ("error", ("eu",))


def test_what_nobody_can_choose_is_told_once_a_kind_at_the_spoke() -> None:
    """Two releases of one CRD: that says nothing against any object."""
    mark = "  annotations: {gateway.networking.k8s.io/bundle-version: %s}\nspec:\n  group"
    crds = [
        (
            f"{bundle}.yaml",
            CRD.replace("spec:\n  group", mark % bundle).replace("100", most).encode(),
        )
        for bundle, most in (("v1.4.1", "100"), ("v1.5.0", "90"))
    ]
    found = stages.render([*WEB, dns()])
    judged = judge(found, crds)
    (told,) = [result for result in judged.results if result.code == "SR2310"]
    assert (told.resource, told.spokes) == (None, ("eu", "us"))
    assert str(told.origin) == str(next(iter(found.bundles.values())).spoke.origin)
    assert accepted(judged)["eu"] == {"dns": FINE}


def test_a_finding_of_many_spokes_is_one() -> None:
    """On each the policies are somewhere else; the words are those of all."""
    rule = """\
    - gateways: {names: [infra/web]}
      spokes: {all: true}
      as: {namespace: "edge-{{ spoke.name }}"}
    """
    judged = policies_of(stages.render([*WEB, *TWO], rule))
    (line,) = about(judged, "DNSPolicy")
    assert line.startswith(
        "error SR2114 DNSPolicy infra/dns spec.targetRef: has the same target as DNSPolicy "
        "edge-eu/again (elsewhere edge-us/again): Gateway edge-eu/web (elsewhere edge-us/web)."
    )
    assert "[eu us]" in line
    assert judged.judged["eu"] is judged.judged["us"]


@cases(
    ("", [("error", ("eu", "us"))]),
    ("spoke: eu, ", [("error", ("us",)), ("info", ("eu",))]),
    ("all", [("info", ("eu", "us"))]),
    ids=["none", "one spoke", "every spoke"],
)
@each("SR2114", "SR2301")
def test_suppressions_apply(code: str, entry: str, expected: list[Any]) -> None:
    only = entry.replace("all", "")
    settings = (
        f"suppressions: [{{code: {code}, resource: DNSPolicy/infra/dns, {only}reason: known}}]\n"
        if entry
        else ""
    )
    spec = "weight: 500" if code == "SR2301" else "weight: 1"
    others = [dns(name="again")] if code == "SR2114" else []
    found = stages.render([*WEB, dns(spec), *others, CRD], settings=settings)
    told = [(str(r.severity), r.spokes) for r in judge(found).results if r.code == code]
    assert told == expected


@each(False, True)
def test_what_only_the_spokes_have(external: bool) -> None:
    """Nobody can tell whether a policy attaches to it: it is unverified, and no fault."""
    target = "kind: HTTPRoute, name: theirs"
    policy = stages.auth("theirs", target, "infra", spec="rules: {authentication: {a: {}}}")
    settings = "external: [{kind: HTTPRoute, namespace: infra, name: theirs}]\n" if external else ""
    found = stages.render([*WEB, policy], settings=settings)
    judged = policies_of(found)
    assert (stages.told(found.results, "SR1010") == []) is external
    conditions = [
        (str(item.accepted.status), item.accepted.reason)
        for each in judged.judged.values()
        for item in each.judgement.attachments.values()
    ]
    assert set(conditions) <= {("Unknown", "Unverified")}


def test_a_fault_is_told_of_the_spokes_or_of_the_hub_and_never_twice() -> None:
    """A gateway that no rule places takes its policies with it: only the hub has them."""
    target = "{group: gateway.networking.k8s.io, kind: Gateway, name: web}"
    twice = f"targetRef: {target}, targetRefs: [{target}]"
    policy = manifest("SecurityPolicy infra/twice", twice)
    other = "- {gateways: {names: [infra/api]}, spokes: {all: true}}\n"
    documents = [*WEB, stages.gateway("api"), policy]
    told = {}
    for name, rule in (("placed", stages.EVERYWHERE + other), ("left", other)):
        judged = policies_of(stages.render(documents, rule))
        told[name] = [
            (result.code, result.spokes)
            for result in judged.results
            if result.resource is not None and result.resource.kind == "SecurityPolicy"
        ]
    codes = {name: [code for code, _ in found] for name, found in told.items()}
    assert codes["placed"] == codes["left"] != []
    assert {spokes for _, spokes in told["placed"]} == {("eu", "us")}
    assert {spokes for _, spokes in told["left"]} == {()}


def test_what_no_spoke_would_get_of_its_kind_is_not_judged() -> None:
    """A kind that no list has is the hub's own affair."""
    policy = manifest("DoorPolicy infra/own", "", api="example.com/v1")
    assert about(policies_of(stages.render([*WEB, policy])), "DoorPolicy") == []
