"""Exports of several examples with one thing changed: exactly its findings, or none."""

import json
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from spokerender.cli import run
from tests.conftest import ROOT
from tests.explain.observed.conftest import Status
from tests.explain.observed.test_mutations import field, manifest, without, work_of
from tests.support import cases, cyaml, each, rows_of
from tests.support.exports import Export, make_exports, write_exports

Change = Callable[[Export], None]
"""A change of one spoke's export."""
Row = tuple[str, str, Change, list[str]]
"""An example, one of its spokes, what changes there, and the findings: code and kind."""


Tell = Callable[[str, str, Change], tuple[int, list[str]]]
"""Runs the command with one spoke's export changed: the exit status, and the findings."""
EXPECTED: dict[str, dict[str, Export]] = {}


@pytest.fixture
def tell(status: Status) -> Tell:
    def run(example: str, spoke: str, change: Change) -> tuple[int, list[str]]:
        if example not in EXPECTED:
            EXPECTED[example] = make_exports(ROOT / "examples" / example)
        exports = deepcopy(EXPECTED[example])
        change(exports[spoke])
        code, _, printed = status(exports, example=example)
        return code, [" ".join(text.split(" ")[:2]) for text in printed]

    return run


def place(export: Export, key: str, *path: Any) -> Any:
    """A part of an object."""
    value: Any = export[key]
    for step in path:
        value = value[step]
    return value


def meta(*keys: str, **fields: Any) -> Change:
    """Other metadata of objects; mappings are added to."""

    def change(export: Export) -> None:
        for key in keys:
            own = export[key]["metadata"]
            for name, value in fields.items():
                own[name] = {**own.get(name, {}), **value} if isinstance(value, dict) else value

    return change


def reported(key: str, type_: str, **fields: Any) -> Change:
    """Another condition of a policy's first ancestor."""

    def change(export: Export) -> None:
        entries = place(export, key, "status", "ancestors", 0, "conditions")
        (condition,) = (item for item in entries if item["type"] == type_)
        condition.update(fields)

    return change


def everything(*changes: Change) -> Change:
    def change(export: Export) -> None:
        for one in changes:
            one(export)

    return change


def turned(*path: Any) -> Change:
    """A list in the opposite order."""
    return lambda export: place(export, *path).reverse()


def grown(*path: Any, by: Any) -> Change:
    """A list with one more item, before all others."""
    return lambda export: place(export, *path).insert(0, by)


def ancestor(key: str, *, more: bool = False, **fields: Any) -> Change:
    """Another first ancestor of a policy; with `more`, one before it."""

    def change(export: Export) -> None:
        entries = place(export, key, "status", "ancestors")
        entry = {**deepcopy(entries[0]), **fields}
        entries[:1] = [entry, entries[0]] if more else [entry]

    return change


def without_generations(export: Export) -> None:
    """Conditions without what they are of, as some controllers write them."""
    for data in export.values():
        for entry in data.get("status", {}).get("ancestors", ()):
            for condition in entry["conditions"]:
                del condition["observedGeneration"]


def renamed(old: str, new: str) -> Change:
    """An object under another name."""

    def change(export: Export) -> None:
        data = export.pop(old)
        data["metadata"]["name"] = new
        export[new] = data

    return change


def gone(*keys: str) -> Change:
    def change(export: Export) -> None:
        for key in keys:
            del export[key]

    return change


def marked(key: str, *types: str) -> Change:
    """Conditions of a route's parent or a Gateway that are true."""
    conditions = [{"type": type_, "status": "True", "reason": "Accepted"} for type_ in types]

    def change(export: Export) -> None:
        of_route = {"parents": [{"conditions": conditions}]}
        export[key]["status"] = of_route if "Route/" in key else {"conditions": conditions}

    return change


SHOP = ("shop", "eu-central-1-prod")
EXISTING = ("existing-gateway", "cloud")
ENVOY = ("envoy-gateway", "frankfurt")
MOVED = ("renamed-and-moved", "berlin")
OWN = ("own-policy-kind", "oslo")
TENANTS = ("tenants", "eu")
OCM = ("placed-by-ocm", "dublin")
PUBLIC, CATALOG = "Gateway/gateways/public", "HTTPRoute/catalog/catalog"
TWO_LISTENERS = "Gateway/edge/public"
GATEWAYCLASS_CONTROLLER = "gateway.envoyproxy.io/gatewayclass-controller"
OTHER_GATEWAY = {
    "group": "gateway.networking.k8s.io",
    "kind": "Gateway",
    "namespace": "edge",
    "name": "public-frankfurt",
}
FALSE = {"type": "Accepted", "status": "False", "reason": "Invalid", "message": ""}
ADMIN = {"name": "admin", "port": 8443, "protocol": "HTTPS", "hostname": "a.example.com"}
COPY = "AuthPolicy/team-a/f39597dce3aed80bee3d-117738418608722a2c08"
TEXTS = "ConfigMap/team-a/f39597dce3aed80bee3d-117738418608722a2c08-texts"
LIMITED = "kuadrant.io/RateLimitPolicyAffected"
REQUEST = {"matches": [{"path": {"type": "Exact", "value": "/admin"}}]}
ELSEWHERE = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "namespace": "x", "name": "y"}

CHANGES: dict[str, Row] = {
    "a listener more": (*SHOP, grown(PUBLIC, "spec", "listeners", by=ADMIN), ["SR2905 Gateway"]),
    "a listener less": (
        *EXISTING, without(TWO_LISTENERS, "spec", "listeners", 0), ["SR2905 Gateway"],
    ),
    "a field of a listener that moved": (
        *EXISTING,
        everything(
            turned(TWO_LISTENERS, "spec", "listeners"),
            field(TWO_LISTENERS, "spec", "listeners", 0, "port", to=8443),
        ),
        ["SR2905 Gateway"],
    ),
    "a listener of another name": (
        *EXISTING, field(TWO_LISTENERS, "spec", "listeners", 0, "name", to="other"),
        ["SR2905 Gateway"] * 2,
    ),
    "a rule more": (*SHOP, grown(CATALOG, "spec", "rules", by=REQUEST), ["SR2905 HTTPRoute"]),
    "a match that a default had": (
        *SHOP, field(CATALOG, "spec", "rules", 0, "matches", 0, "path", "type", to="Exact"),
        ["SR2905 HTTPRoute"],
    ),
    "a section of a parent": (
        *MOVED, without("GRPCRoute/orders/orders", "spec", "parentRefs", 0, "sectionName"),
        ["SR2905 GRPCRoute"],
    ),
    "a grant for others": (
        *MOVED,
        field(
            "ReferenceGrant/certificates/gateway-certificates",
            *("spec", "from", 0, "namespace"),
            to="other",
        ),
        ["SR2905 ReferenceGrant"],
    ),
    "a grant that went": (
        *MOVED, renamed("ReferenceGrant/certificates/gateway-certificates", "other"),
        ["SR2903 ReferenceGrant"],
    ),
    "an issuer": (
        *ENVOY,
        field(
            "SecurityPolicy/edge/tokens", "spec", "jwt", "providers", 0, "issuer", to="https://e"
        ),
        ["SR2905 SecurityPolicy"],
    ),
    "an audience more": (
        *ENVOY,
        grown("SecurityPolicy/edge/tokens", "spec", "jwt", "providers", 0, "audiences", by="all"),
        ["SR2905 SecurityPolicy"],
    ),
    "a flag": (
        *SHOP,
        field("DNSPolicy/gateways/public-dns", "spec", "loadBalancing", "defaultGeo", to=False),
        ["SR2905 DNSPolicy"],
    ),
    "refused for one of two gateways": (
        *ENVOY,
        reported("SecurityPolicy/edge/tokens", "Accepted", status="False", reason="Invalid"),
        ["SR2902 SecurityPolicy"],
    ),
    "Overridden": (
        *SHOP, reported("AuthPolicy/cart/cart", "Enforced", status="False", reason="Overridden"),
        ["SR2902 AuthPolicy"],
    ),
    "refused by one of several controllers": (
        *SHOP,
        ancestor(
            "AuthPolicy/cart/cart", more=True, controllerName="example.com/o", conditions=[FALSE]
        ),
        ["SR2902 AuthPolicy"],
    ),
    "accepted for a Gateway where nobody expected it": (
        *ENVOY,
        ancestor(
            "ClientTrafficPolicy/edge/partner-certificates",
            more=True,
            ancestorRef=OTHER_GATEWAY,
            conditions=[{**FALSE, "status": "True"}],
        ),
        ["SR2902 ClientTrafficPolicy"],
    ),
    "Conflicted": (
        *OWN, reported("TimeoutPolicy/edge/web", "Accepted", status="False", reason="Conflicted"),
        ["SR2902 TimeoutPolicy"],
    ),
    "False, of this generation": (
        *OCM,
        everything(
            meta("AuthPolicy/toystore/toystore", generation=3),
            reported(
                "AuthPolicy/toystore/toystore", *("Accepted",), status="False", observedGeneration=3
            ),
        ),
        ["SR2902 AuthPolicy"],
    ),
    "a policy that is being deleted": (
        *OCM,
        meta(
            "AuthPolicy/toystore/toystore",
            deletionTimestamp="2026-11-24T10:00:00Z",
            finalizers=["kuadrant.io/authpolicy"],
        ),
        ["SR2903 AuthPolicy"],
    ),
    "the copy of a consumer": (
        *TENANTS, without(COPY, "spec", "rules", "authentication"), ["SR2905 AuthPolicy"],
    ),
    "the copy of a consumer has another name": (
        *TENANTS, renamed(COPY, "x"), ["SR2904 AuthPolicy", "SR2903 AuthPolicy"],
    ),
    "the copy of a consumer is refused": (
        *TENANTS, reported(COPY, "Accepted", status="False", reason="Invalid"),
        ["SR2902 AuthPolicy"],
    ),
    "a text of a ConfigMap": (
        *TENANTS,
        field(TEXTS, "data", to={"other": "text"}),
        ["SR2905 ConfigMap"],
    ),
    "a label of ours": (
        *SHOP, meta(PUBLIC, labels={"shop.example.com/exposure": "1"}), ["SR2905 Gateway"],
    ),
    "a condition that outlived its policy (GEP-2648)": (
        *OCM, marked("Gateway/gateways/web", LIMITED, "kuadrant.io/AuthPolicyAffected"),
        ["SR2902 Gateway"],
    ),
    "a label that outlived its policy (GEP-2648)": (
        *TENANTS, meta(TEXTS, labels={"example.com/PolicyAffected": "true"}), ["SR2902 ConfigMap"],
    ),
    "no condition of an accepted policy": (
        *OCM, marked("HTTPRoute/toystore/toystore", "Accepted", LIMITED), ["SR2902 HTTPRoute"],
    ),
}  # fmt: skip
OF_SERVERS = {
    "labels": {"kustomize.toolkit.fluxcd.io/name": SHOP[1], "argocd.argoproj.io/instance": "a"},
    "annotations": {
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "argocd.argoproj.io/tracking-id": "a:g/K:n/m",
        "example.com/by-a-controller": "x",
    },
    "managedFields": [{"manager": "flux", "operation": "Apply", "fieldsV1": {"f:spec": {}}}],
    "finalizers": ["kuadrant.io/authpolicy"],
    "creationTimestamp": "2026-11-01T00:00:00Z",
    "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "u"}],
    "selfLink": "/x",
}
PARENT = {"group": "gateway.networking.k8s.io", "kind": "Gateway"}
SAME: dict[str, tuple[str, str, Change]] = {
    "listeners in another order": (*EXISTING, turned(TWO_LISTENERS, "spec", "listeners")),
    "what servers and engines add": (
        *SHOP,
        meta(PUBLIC, CATALOG, "AuthPolicy/cart/cart", **OF_SERVERS),
    ),
    "defaults of the CRD": (
        *SHOP,
        everything(
            *(field(CATALOG, "spec", "parentRefs", 0, name, to=PARENT[name]) for name in PARENT),
            field(CATALOG, "spec", "rules", 0, "backendRefs", 0, "weight", to=1),
            field(CATALOG, "spec", "rules", 0, "backendRefs", 0, "kind", to="Service"),
            field(CATALOG, "spec", "rules", 0, "backendRefs", 0, "group", to=""),
        ),
    ),
    "conditions and labels that tell of policies (GEP-2648)": (
        *OCM,
        everything(
            marked("Gateway/gateways/web", LIMITED),
            marked("HTTPRoute/toystore/toystore", LIMITED, "kuadrant.io/AuthPolicyAffected"),
            meta("HTTPRoute/toystore/toystore", labels={"acme.io/PolicyAffected": "true"}),
        ),
    ),
    "nulls": (*SHOP, field(CATALOG, "spec", "rules", 0, "filters", to=None)),
    "conditions in another order": (
        *SHOP,
        turned("AuthPolicy/cart/cart", "status", "ancestors", 0, "conditions"),
    ),
    "conditions of nobody's": (
        *SHOP,
        grown(
            *("AuthPolicy/cart/cart", "status", "ancestors", 0, "conditions"),
            by={"type": "Healthy", "status": "False", "reason": "X"},
        ),
    ),
    "no observedGeneration": (*SHOP, without_generations),
    "an ancestor that was not reported": (
        *SHOP,
        ancestor("AuthPolicy/cart/cart", ancestorRef=ELSEWHERE),
    ),
    "an ancestor of nobody's": (
        *SHOP,
        ancestor("AuthPolicy/cart/cart", more=True, ancestorRef=ELSEWHERE, conditions=[FALSE]),
    ),
    "a kind that is nobody's": (
        *OCM,
        lambda export: export.update(
            pod={"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "shop"}}
        ),
    ),
    "of several controllers, that of the kind": (
        *ENVOY,
        everything(
            ancestor("SecurityPolicy/edge/tokens", controllerName=GATEWAYCLASS_CONTROLLER),
            ancestor(
                "SecurityPolicy/edge/tokens",
                more=True,
                controllerName="example.com/other",
                conditions=[FALSE],
            ),
        ),
    ),
    "a report for the whole Gateway": (
        *ENVOY,
        everything(
            without(
                "ClientTrafficPolicy/edge/partner-certificates",
                *("status", "ancestors", 0, "ancestorRef", "sectionName"),
            )
        ),
    ),
    "no object of ours": (*ENVOY, lambda export: export.clear()),
}


@each(*list(CHANGES.values()), ids=list(CHANGES))
def test_a_change_gives_exactly_its_findings(row: Row, tell: Tell) -> None:
    example, spoke, change, findings = row
    assert tell(example, spoke, change) == (1, findings)


@each(*list(SAME.values()), ids=list(SAME))
def test_what_means_the_same_is_no_finding(row: tuple[str, str, Change], tell: Tell) -> None:
    assert tell(*row) == (0, [])


def listed(objects: list[Any]) -> str:
    return cyaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": objects})


WRITTEN: dict[str, Callable[[list[Any]], dict[str, str]]] = {
    "a byte order mark": lambda objects: {"dublin.yaml": "\ufeff" + listed(objects)},
    "CRLF": lambda objects: {"dublin.yaml": listed(objects).replace("\n", "\r\n")},
    "documents": lambda objects: {"dublin.yaml": yaml.safe_dump_all(objects)},
    "JSON": lambda objects: {"dublin.json": json.dumps(cyaml.safe_load(listed(objects)))},
    "JSON as YAML": lambda objects: {"dublin.yaml": json.dumps(cyaml.safe_load(listed(objects)))},
    "several files": lambda objects: {
        f"dublin/{number}.yaml": cyaml.safe_dump(item) for number, item in enumerate(objects)
    },
}


@each(*list(WRITTEN.values()), ids=list(WRITTEN))
def test_an_export_may_be_written_in_many_ways(
    form: Callable[[list[Any]], dict[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = ROOT / "examples" / OCM[0]
    exports = make_exports(example)
    write_exports(tmp_path, exports)
    (tmp_path / "dublin.yaml").unlink()
    exports["dublin"]["Gateway/gateways/web"]["spec"]["gatewayClassName"] = "other"
    for path, text in form(list(exports["dublin"].values())).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
    capsys.readouterr()
    assert run(["status", str(example), "--from", str(tmp_path)]) == 1
    assert re.findall(r"error (SR\d+ \w+)", capsys.readouterr().err) == ["SR2905 Gateway"]


@cases(*rows_of(__file__, "feedback_may_be_json"))
def test_feedback_may_be_json(raw: Any, findings: list[str], tell: Tell) -> None:
    """As the agent's feature RawFeedbackJsonString reports it."""
    text = raw if isinstance(raw, str) else json.dumps(raw)
    value = {"name": "status", "fieldValue": {"type": "JsonRaw", "jsonRaw": text}}

    def change(export: Export) -> None:
        manifests = [manifest(data) for data in export.values()]
        for item in manifests:
            is_policy = item["resourceMeta"]["kind"] == "AuthPolicy"
            item["statusFeedback"] = {"values": [value] if is_policy else []}
        export.clear()
        export["work"] = work_of(manifests)

    code, printed = tell(*OCM, change)
    assert (code, printed) == (int(bool(findings)), findings)
