"""The statuses of policies as a table, as JSON, and as YAML in the form of GEP-713."""

import json
import re
from collections.abc import Sequence
from typing import Any

from spokerender.explain.statuses import share_statuses
from spokerender.explain.values import PolicyStatus
from spokerender.formats import yamlio
from spokerender.judging.attachment.statuses import Condition
from spokerender.model import GATEWAY_API
from spokerender.pipeline import judge
from spokerender.rendering.values.alike import Alike
from spokerender.report.reports import Look, StatusReport
from spokerender.report.serializing import NO_TIME
from spokerender.report.statuses import status_json, status_table, status_yaml
from tests.support import end_to_end as e2e, manifest, rows_of, stages, text_of
from tests.support.answers import statuses
from tests.support.judged import CRD, WEB, dns
from tests.support.shop import judged, shop

TABLE = text_of(__file__, "statuses_table.txt")
REFUSED = rows_of(__file__, "refused")
HEADER = "POLICY   TARGET   GATEWAY   ACCEPTED   RESOLVED REFS   PROGRAMMED   SPOKES\n"


def refused() -> Any:
    return share_statuses(judge(stages.render([*WEB, dns("weight: 500"), CRD])))


def report(statuses: Sequence[Alike[PolicyStatus]], spokes: int | None = None) -> StatusReport:
    return StatusReport(statuses=statuses, spokes=spokes)


WIDE = Look(width=200)
METAV1_CONDITION = {"type", "status", "reason", "message", "lastTransitionTime"}
NARROW = rows_of(__file__, "narrow")


def test_a_table() -> None:
    assert status_table(report(share_statuses(judged(shop())), 3), WIDE) == TABLE


def test_a_table_that_is_too_wide_has_the_condition_that_matters_most() -> None:
    text = status_table(report(share_statuses(judged(shop())), 3), Look())
    assert text.partition("\n\n")[0] + "\n" == NARROW
    without_target = status_table(report(share_statuses(judged(shop())), 3), Look(width=70))
    header, *_, note = without_target.partition("\n\n")[0].splitlines()
    assert header.split() == ["POLICY", "STATUS", "SPOKES"]
    width = max(map(len, TABLE.partition("\n\n")[0].splitlines()))
    assert note == f"(left out: TARGET, GATEWAY; COLUMNS={width} has room for all)"


def test_a_refused_policy() -> None:
    assert status_table(report(refused(), 2), WIDE) == REFUSED


def test_nothing() -> None:
    assert status_table(report([], 2), Look()) == HEADER


def test_colors_move_no_column() -> None:
    colored = status_table(report(refused(), 2), Look(color=True, width=200))
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == REFUSED
    assert colored.count("\x1b[1;31m") == 2


def test_colors_take_no_room() -> None:
    width = max(map(len, REFUSED.partition("\n\n")[0].splitlines()))
    colored = status_table(report(refused(), 2), Look(color=True, width=width))
    assert "RESOLVED REFS" in colored


CONDITIONS = rows_of(__file__, "conditions")
INVALID = rows_of(__file__, "invalid")
"""What `check` tells of it."""
STATUS = {
    "ancestors": [
        {
            "ancestorRef": {
                "group": "gateway.networking.k8s.io",
                "kind": "Gateway",
                "namespace": "infra",
                "name": "web",
            },
            "controllerName": "spokerender.io/render",
            "conditions": CONDITIONS,
        }
    ]
}


def test_json() -> None:
    ref = {"group": "kuadrant.io", "kind": "DNSPolicy", "namespace": "infra", "name": "dns"}
    assert json.loads("".join(status_json(report(refused()), Look()))) == {
        "policies": [
            {
                "resourceRef": ref,
                "hub": ref,
                "file": {"path": "hub/hub.yaml", "index": 4, "line": 35},
                "spokes": ["eu", "us"],
                "findings": [INVALID],
                "status": STATUS,
            }
        ],
        "routes": [],
        "gateways": [],
        "listenerSets": [],
    }
    nothing: dict[str, list[object]] = {
        name: [] for name in ("policies", "routes", "gateways", "listenerSets")
    }
    assert json.loads("".join(status_json(report([]), Look()))) == nothing


def test_what_only_the_cluster_can_decide_has_both_outcomes() -> None:
    """Two bare policies on one target: the newest holds, and files know no ages."""
    rules = "rules: {authentication: {%s: {anonymous: {}}}}"
    hub = [
        stages.CLASS,
        stages.gateway("web", listeners="[{name: http, port: 80, protocol: HTTP}]"),
        stages.route("cart", "[{name: web}]", namespace="infra", spec="rules: [{name: all}]"),
        *(stages.auth(name, "kind: HTTPRoute, name: cart", spec=rules % name) for name in "ab"),
    ]
    found = share_statuses(judged(stages.render(hub)))
    outcomes = (
        "only the cluster knows which of AuthPolicy infra/a and AuthPolicy infra/b is older: if "
        "AuthPolicy infra/a is, False (Overridden): AuthPolicy is overridden by AuthPolicy infra/b "
        "on HTTPRoute infra/cart [all]; if AuthPolicy infra/b is, True (Programmed): AuthPolicy is "
        "programmed"
    )
    text = status_table(report(found), Look(width=300))
    shown = outcomes.replace("; ", ";\n    ")
    assert f"AuthPolicy infra/a (hub/hub.yaml:35): conflicted: {shown}" in text
    assert "Unknown: DecidedByAge" in text
    members = json.loads("".join(status_json(report(found), Look())))
    first = members["policies"][0]["status"]["ancestors"][0]["conditions"][2]
    of_a, of_b = (
        {"group": "kuadrant.io", "kind": "AuthPolicy", "namespace": "infra", "name": name}
        for name in "ab"
    )
    assert first == {
        "type": "Programmed",
        "status": "Unknown",
        "reason": "DecidedByAge",
        "message": outcomes,
        "decidedByAge": {
            "among": [of_a, of_b],
            "by": "oldest",
            "outcomes": [
                {
                    "status": "False",
                    "reason": "Overridden",
                    "message": outcomes.split("(Overridden): ")[1].split(";", maxsplit=1)[0],
                    "first": [of_a],
                    "ties": False,
                },
                {
                    "status": "True",
                    "reason": "Programmed",
                    "message": "AuthPolicy is programmed",
                    "first": [of_b],
                    "ties": False,
                },
            ],
        },
    }
    documents = list(yamlio.read("".join(status_yaml(report(found), Look())).encode(), "s")[0])
    condition = documents[0].value["status"]["ancestors"][0]["conditions"][2]
    assert condition == {
        **{key: first[key] for key in ("type", "status", "reason", "message")},
        "lastTransitionTime": NO_TIME,
    }
    alone = statuses(judged(stages.render(hub[:-1])))
    assert not any(item.by_age for status in alone for item in list_conditions(status))


def list_conditions(status: PolicyStatus) -> list[Condition]:
    return [item for entry in status.ancestors for item in entry.conditions]


def test_an_entry_for_a_policy_that_may_lose_may_not_be_there() -> None:
    """Envoy Gateway writes a BackendTLSPolicy's entry for the one extension that is in force."""
    extension = manifest(
        "EnvoyExtensionPolicy infra/NAME",
        "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}], "
        "extProc: [{backendRefs: [{name: backend, port: 80}]}]",
    )
    hub = f"""\
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {{name: hub}}
spec: {{controllerName: gateway.envoyproxy.io/gatewayclass-controller}}
---
apiVersion: v1
kind: Service
metadata: {{name: backend, namespace: infra}}
spec: {{ports: [{{port: 80}}]}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {{name: tls, namespace: infra}}
spec:
  targetRefs: [{{group: "", kind: Service, name: backend}}]
  validation: {{hostname: a.example, wellKnownCACertificates: System}}
---
{stages.gateway("web", listeners="[{name: http, port: 80, protocol: HTTP}]")}
---
{extension.replace("NAME", "a")}
"""
    kinds = (
        ("gateway.networking.k8s.io", "BackendTLSPolicy"),
        ("gateway.envoyproxy.io", "EnvoyExtensionPolicy"),
    )
    both = f"{hub}---\n{extension.replace('NAME', 'b')}"
    for text, expected in ((both, True), (hub, False)):
        files = {"fleet.yaml": e2e.fleet(*kinds), "placement.yaml": e2e.everywhere("infra/web")}
        found = statuses(judge(e2e.rendered({**files, "hub/hub.yaml": text})))
        (status,) = (each for each in found if each.policy.kind == "BackendTLSPolicy")
        assert {item.by_age is not None for item in list_conditions(status)} == {expected}


def test_merged_gateways_of_one_port_refuse_a_policy_whichever_is_older() -> None:
    """Envoy Gateway's translator in both orders; of one hostname the older one's listener is left.

    The policy is for the plain HTTP of a port, which it then has to itself.
    """
    hub = text_of(__file__, "statuses.yaml")
    listener = "[{name: http, port: %s, protocol: HTTP%s}]"
    for port, hostname, expected in (
        (80, "", "Accepted"),
        (80, ", hostname: a.example", "Invalid"),
        (81, "", "Accepted"),
    ):
        gateways = (
            stages.gateway("api", listeners=listener % (80, "")),
            stages.gateway("web", listeners=listener % (port, hostname)),
        )
        files = {
            "fleet.yaml": e2e.fleet(("gateway.envoyproxy.io", "ClientTrafficPolicy")),
            "placement.yaml": e2e.everywhere("infra/api", "infra/web"),
            "hub/hub.yaml": "---\n".join((hub, *gateways)),
        }
        (status,) = statuses(judge(e2e.rendered(files)))
        accepted = list_conditions(status)[0]
        assert (accepted.reason, accepted.by_age) == (expected, None)


def test_yaml_is_read_as_kubectl_reads_it() -> None:
    """A condition's status is a string, which YAML would take `True` for a boolean otherwise."""
    text = "".join(status_yaml(report(refused()), Look()))
    assert text.startswith("# eu, us\napiVersion: kuadrant.io/v1\n")
    documents, problems = yamlio.read(text.encode(), "status.yaml")
    assert problems == ()
    assert [document.value for document in documents] == [
        {
            "apiVersion": "kuadrant.io/v1",
            "kind": "DNSPolicy",
            "metadata": {"name": "dns", "namespace": "infra"},
            "status": {
                "ancestors": [
                    {
                        **STATUS["ancestors"][0],
                        "conditions": [
                            {**item, "lastTransitionTime": NO_TIME} for item in CONDITIONS
                        ],
                    }
                ]
            },
        }
    ]


def test_every_status_has_the_form_of_the_gateway_api() -> None:
    """`PolicyStatus`: ancestors by reference and controller, conditions unique by their type."""
    documents, problems = yamlio.read(
        "".join(status_yaml(report(share_statuses(judged(shop()))), Look())).encode(), "s.yaml"
    )
    assert problems == ()
    assert len(documents) == 7
    for document in documents:
        for ancestor in document.value["status"]["ancestors"]:
            assert set(ancestor) == {"ancestorRef", "controllerName", "conditions"}
            types = [condition["type"] for condition in ancestor["conditions"]]
            assert types == ["Accepted", "ResolvedRefs", "Programmed", "Enforced"]
            for condition in ancestor["conditions"]:
                assert condition.keys() == METAV1_CONDITION
                assert condition["status"] in {"True", "False", "Unknown"}


RETRIES = (
    stages.CLASS,
    stages.gateway("web", listeners="[{name: http, port: 80, protocol: HTTP}]"),
    stages.route("shop", namespace="infra", spec="rules: [{name: bar}, {name: b}]"),
)


def retries(name: str, section: str = "") -> str:
    section = f", sectionName: {section}" if section else ""
    target = f"{{group: gateway.networking.k8s.io, kind: HTTPRoute, name: shop{section}}}"
    spec = f"maxRetries: 5, targetRef: {target}"
    return manifest(f"RetryPolicy infra/{name}", spec, api="networking.acme.io/v1")


def test_a_direct_policy_has_the_merging_and_the_status_of_its_crd() -> None:
    """GEP-2648: a section before the whole, and a section that is not there; no `policyKinds`."""
    policies = (retries("whole"), retries("section", "bar"), retries("dangling", "baz"))
    hub = (*RETRIES, *policies, text_of(__file__, "retries.yaml"))
    files = {
        "fleet.yaml": e2e.fleet(("networking.acme.io", "RetryPolicy"), (GATEWAY_API, "HTTPRoute")),
        "placement.yaml": e2e.everywhere("infra/web"),
        "hub/hub.yaml": "---\n".join(hub),
    }
    judgement = judge(e2e.rendered(files))
    text = "".join(status_yaml(report(share_statuses(judgement)), Look()))
    written = {
        document.value["metadata"]["name"]: document.value["status"]["conditions"]
        for document in yamlio.read(text.encode(), "s.yaml")[0]
    }
    assert {name: [item["reason"] for item in each] for name, each in written.items()} == {
        "dangling": ["TargetNotFound", "TargetNotFound"],
        "section": ["Accepted", "ResolvedRefs", "Programmed"],
        "whole": ["Accepted", "ResolvedRefs", "PartiallyProgrammed"],
    }
    assert all(item.keys() == METAV1_CONDITION for each in written.values() for item in each)


def test_a_policy_without_a_crd_tells_that_a_target_or_section_is_not_there() -> None:
    """GEP-713: each of its targets has an entry, whatever there is of it."""
    policies = (retries("section", "baz"), retries("whole").replace("name: shop", "name: shoe"))
    kinds = (("networking.acme.io", "RetryPolicy"), (GATEWAY_API, "HTTPRoute"))
    judgement = judge(
        e2e.rendered(
            {
                "fleet.yaml": e2e.fleet(*kinds),
                "placement.yaml": e2e.everywhere("infra/web"),
                "hub/hub.yaml": "---\n".join((*RETRIES, *policies)),
            }
        )
    )
    text = "".join(status_yaml(report(share_statuses(judgement)), Look()))
    documents = [item.value for item in yamlio.read(text.encode(), "s.yaml")[0]]
    assert {
        entry["ancestorRef"]["name"]: [item["reason"] for item in entry["conditions"]]
        for document in documents
        for entry in document["status"]["ancestors"]
    } == {name: ["TargetNotFound", "TargetNotFound"] for name in ("shop", "shoe")}
