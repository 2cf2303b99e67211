"""The table against facts that were read off the implementations' CRDs: all 77 kind-versions."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from spokerender.kinds import table
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import ANY, Kind, NamespaceRule, ReferencePath, Role
from spokerender.kinds.references import read_references
from spokerender.kinds.table import (
    CLASS_NAMES,
    CONTROLLER_NAMES,
    GROUPS,
    VENDORS,
    all_rows,
    find_controller,
    is_cluster_scoped,
    vendor_controllers,
    vendor_rows,
)
from spokerender.model import GATEWAY_API, Ref
from tests.support import each
from tests.support.carried import carried

TABLE = tuple(all_rows().values())

Row = dict[str, Any]
CATALOGUE = Catalogue.of([])
ROLES = {
    "spec.gatewayRef": Role.TARGET,
    "spec.parentRef": Role.PARENT,
    "spec.parentRefs[]": Role.PARENT,
    "spec.targetRef": Role.TARGET,
    "spec.targetReference": Role.TARGET,
    "spec.targetRefs[]": Role.TARGET,
    "spec.targetSelectors[]": Role.SELECTOR,
}
# The fixture tells which fields there are; what may be in them is in the implementations' docs.
EMPTY = {"extensions.istio.io", "networking.istio.io", "security.istio.io", "telemetry.istio.io"}
NAMESPACES = {NamespaceRule.OWN: ("infra",), NamespaceRule.ANY: ("infra", "edge")}
OWN = {"application-networking.k8s.aws", "networking.gke.io"}


@pytest.fixture(scope="module")
def rows(fixtures: Path) -> list[Row]:
    loaded: list[Row] = json.loads((fixtures / "policy-kinds.json").read_text(encoding="utf-8"))
    assert len(loaded) == 77
    return loaded


def named_paths(row: Row) -> Iterator[Row]:
    """The paths of a row that name objects, or select them by a selector of their own kind."""
    yield from (ref for ref in row["refs"] if {"name", "matchLabels"} & set(ref["fields"]))


def rule(kind: Kind, path: str) -> ReferencePath:
    return next(rule for rule in kind.references if rule.path == path)


def namespace_rule(row: Row, ref: Row) -> NamespaceRule:
    if "namespace" not in ref["fields"]:
        return NamespaceRule.NONE
    if row["group"] in EMPTY:
        return NamespaceRule.EMPTY
    return NamespaceRule.OWN if row["group"] in OWN else NamespaceRule.ANY


def test_every_kind_is_in_the_table_once() -> None:
    identities = [(kind.group, kind.kind) for kind in TABLE]
    assert len(identities) == len(set(identities))


def test_identity_scope_and_versions_of_all_rows(rows: list[Row]) -> None:
    for row in rows:
        kind = CATALOGUE.kind(row["group"], row["kind"])
        assert CATALOGUE.known(row["group"], row["kind"]), row
        assert (kind.plural, kind.namespaced) == (row["plural"], row["scope"] == "Namespaced")
        assert row["version"] in kind.versions
        assert CATALOGUE.by_resource(row["group"], row["plural"]) is kind


def test_reference_fields_of_all_rows(rows: list[Row]) -> None:
    for row in rows:
        kind = CATALOGUE.kind(row["group"], row["kind"])
        for ref in named_paths(row):
            expected = ReferencePath(
                path=ref["path"],
                role=ROLES[ref["path"]],
                default_group=ref["defaults"].get("group", ""),
                default_kind=ref["defaults"].get("kind", ""),
                namespace=namespace_rule(row, ref),
                section="sectionName" if "sectionName" in ref["fields"] else "",
                unique=any("unique" in rule for rule in ref["cel"]),
                max_items=ref["maxItems"],
                infers_group=ref["path"] == "spec.targetReference",
            )
            assert rule(kind, ref["path"]) == expected, row["kind"]


def test_no_row_has_attaching_paths_that_its_crds_lack(rows: list[Row]) -> None:
    """But for kgateway, whose row takes the shapes of its later releases too."""
    paths: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        known = paths.setdefault((row["group"], row["kind"]), set())
        known.update(ref["path"] for ref in named_paths(row))
    extra = {
        identity: {
            rule.path
            for rule in CATALOGUE.kind(*identity).references
            if rule.role in (Role.TARGET, Role.PARENT, Role.SELECTOR)
        }
        - known
        for identity, known in paths.items()
    }
    later = {"spec.targetRefs[]", "spec.targetSelectors[]"}
    assert {identity: found for identity, found in extra.items() if found} == {
        ("gateway.kgateway.dev", "HTTPListenerPolicy"): later,
        ("gateway.kgateway.dev", "ListenerPolicy"): later,
    }


def entries(ref: Row, own: str, gateways: str) -> Iterator[tuple[Row, Ref]]:
    """Entries that name a Gateway, and things that only look like it, with what each means."""
    explicit = {"namespace": gateways} if gateways else {}
    section = {"sectionName": "https"} if "sectionName" in ref["fields"] else {}
    for group, kind in (
        (GATEWAY_API, "Gateway"),
        (GATEWAY_API, "HTTPRoute"),
        ("", "Service"),
        ("example.com", "Gateway"),
    ):
        entry = {"group": group, "kind": kind, "name": "web", **explicit, **section}
        yield entry, Ref(group, kind, gateways or own, "web")
    if ref["defaults"]:
        yield (
            {"name": "web", **explicit},
            Ref(**ref["defaults"], namespace=gateways or own, name="web"),
        )


def test_every_row_finds_what_it_names_and_nothing_else(rows: list[Row]) -> None:
    tried = [
        row["kind"]
        for row in rows
        for ref in named_paths(row)
        if "name" in ref["fields"]
        for namespace in ("", *NAMESPACES.get(namespace_rule(row, ref), ()))
        if finds_all(CATALOGUE.kind(row["group"], row["kind"]), ref, namespace)
    ]
    assert {row["kind"] for row in rows} - set(tried) == {"GCPServerTLSPolicy"}


def finds_all(kind: Kind, ref: Row, namespace: str) -> bool:
    field = ref["path"].removeprefix("spec.").removesuffix("[]")
    given = list(entries(ref, "infra", namespace))
    if ref["path"].endswith("[]"):
        assert found(kind, {field: [entry for entry, _ in given]}, "infra") == [
            described(("spec", field, index), entry, target)
            for index, (entry, target) in enumerate(given)
        ]
    else:
        for entry, target in given:
            expected = [described(("spec", field), entry, target)]
            assert found(kind, {field: entry}, "infra") == expected
    return True


def described(path: tuple[str | int, ...], entry: Row, target: Ref) -> tuple[Any, ...]:
    sections = (entry["sectionName"],) if "sectionName" in entry else ()
    return path, target, sections, "namespace" in entry, (*path, "name")


def found(kind: Kind, spec: Row, own: str) -> list[tuple[Any, ...]]:
    return [
        (link.path, link.ref, link.sections, link.explicit_namespace, link.name_path)
        for link in read_references(kind, {"spec": spec}, own)
    ]


def test_what_may_be_absent_is_the_core_group_where_the_crd_has_no_default(rows: list[Row]) -> None:
    for row in rows:
        for ref in named_paths(row):
            if ref["required"] == ["kind", "name"]:
                field = ref["path"].removeprefix("spec.")
                entry = {"kind": "Gateway", "name": "web"}
                spec = {field[:-2]: [entry]} if field.endswith("[]") else {field: entry}
                (link,) = read_references(
                    CATALOGUE.kind(row["group"], row["kind"]), {"spec": spec}, "ns"
                )
                assert link.ref == Ref("", "Gateway", "ns", "web")


def test_selectors_of_all_rows(rows: list[Row]) -> None:
    tried = 0
    for row in rows:
        for ref in row["refs"]:
            if "matchLabels" in ref["fields"]:
                tried += 1
                entry = {"group": GATEWAY_API, "kind": "Gateway", "matchLabels": {"app": "web"}}
                spec = {"targetSelectors": [entry]}
                kind = CATALOGUE.kind(row["group"], row["kind"])
                (link,) = read_references(kind, {"spec": spec}, "infra")
                assert link.ref == Ref(GATEWAY_API, "Gateway", "infra", "")
                assert link.selector is not None
                assert link.selector.matches({"app": "web", "tier": "gold"})
                assert not link.selector.matches({"app": "other"})
    assert tried == 5


def test_targets_that_are_pods_are_no_references(rows: list[Row]) -> None:
    """Google's kinds find pods by labels in the place where others name a Gateway."""
    selecting = [row for row in rows for ref in row["refs"] if "selector" in ref["fields"]]
    assert [row["kind"] for row in selecting] == ["GCPAuthzPolicy", "GCPServerTLSPolicy"]
    pods = {"group": "", "kind": "Pod", "selector": {"matchLabels": {"app": "web"}}}
    for row in selecting:
        kind = CATALOGUE.kind(row["group"], row["kind"])
        assert read_references(kind, {"spec": {"targetRefs": [pods]}}, "infra") == ()


def test_cluster_scoped_kinds() -> None:
    assert is_cluster_scoped("", "Namespace")
    assert is_cluster_scoped(GATEWAY_API, "GatewayClass")
    assert is_cluster_scoped("cert-manager.io", "ClusterIssuer")
    assert is_cluster_scoped("apiextensions.k8s.io", "CustomResourceDefinition")
    assert not is_cluster_scoped(GATEWAY_API, "Gateway")
    assert not is_cluster_scoped("", "Secret")


def test_routes_are_those_of_the_gateway_api() -> None:
    routes = {(kind.group, kind.kind) for kind in TABLE if kind.is_route}
    assert routes == {
        (GATEWAY_API, f"{protocol}Route") for protocol in ("GRPC", "HTTP", "TCP", "TLS", "UDP")
    }


def test_synced_copies_of_kuadrant_kinds_say_so() -> None:
    marked = {kind.kind for kind in TABLE if kind.annotations}
    assert marked == {
        "AuthPolicy",
        "DNSPolicy",
        "OIDCPolicy",
        "PlanPolicy",
        "RateLimitPolicy",
        "TLSPolicy",
        "TelemetryPolicy",
        "ThreatPolicy",
        "TokenRateLimitPolicy",
    }
    assert {kind.annotations for kind in TABLE if kind.annotations} == {
        (("kuadrant.io/policy-synced", "true"),)
    }


def test_security_and_policy_columns() -> None:
    def kind(group: str, name: str) -> tuple[bool, bool]:
        row = CATALOGUE.kind(group, name)
        return row.security, row.is_policy

    assert kind("kuadrant.io", "AuthPolicy") == (True, True)
    assert kind("kuadrant.io", "DNSPolicy") == (False, True)
    assert kind("networking.k8s.io", "NetworkPolicy") == (True, True)
    assert kind(GATEWAY_API, "HTTPRoute") == (False, False)
    assert kind(GATEWAY_API, "ListenerSet") == (False, False)
    assert kind("", "Service") == (False, False)
    assert kind("example.com", "NobodyKnows") == (False, True)


def test_limits_of_lists_are_the_most_of_any_release() -> None:
    found: dict[tuple[str, str], dict[str, int]] = {}
    for crd in carried("gateway-api@v1.4.1", "gateway-api@v1.6.1"):
        known = found.setdefault((crd["spec"]["group"], crd["spec"]["names"]["kind"]), {})
        for version in crd["spec"]["versions"]:
            spec = version["schema"]["openAPIV3Schema"]["properties"].get("spec", {})
            for place, limit in lists_in(spec, "spec"):
                known[place] = max(known.get(place, 0), limit or 10**9)
    limited = [row for row in TABLE if row.limits and (row.group, row.kind) in found]
    assert {row.kind for row in limited} >= {"Gateway", "ListenerSet", "HTTPRoute", "GRPCRoute"}
    for row in limited:
        known = found[row.group, row.kind]
        assert dict(row.limits) == {p: known.get(p, most) for p, most in row.limits}, row.kind


def lists_in(schema: Any, path: str) -> Iterator[tuple[str, int | None]]:
    if schema.get("type") == "array":
        yield path, schema.get("maxItems")
        yield from lists_in(schema.get("items", {}), f"{path}[]")
    for key, child in schema.get("properties", {}).items():
        yield from lists_in(child, f"{path}.{key}")


@each(*VENDORS)
def test_the_indexes_name_what_is_in_a_module(vendor: str) -> None:
    """Whoever asks for a group or a controller gets it, and reads no module in vain."""
    assert {kind.group for kind in vendor_rows(vendor).values()} == _named(GROUPS, vendor)
    controllers = vendor_controllers(vendor)
    names = {name for each in controllers for name in each.names}
    assert names == _named(CONTROLLER_NAMES, vendor)
    assert {name for each in controllers for name in each.classes} == _named(CLASS_NAMES, vendor)


def _named(index: Mapping[str, str], vendor: str) -> set[str]:
    return {name for name, module in index.items() if module == vendor}


def test_every_module_is_indexed() -> None:
    package = Path(table.__file__).parent
    modules = {path.stem for path in package.glob("*.py") if hasattr(_imported(path.stem), "KINDS")}
    assert modules == set(VENDORS)


def _imported(module: str) -> ModuleType:
    return import_module(f"{table.__name__}.{module}")


def test_controllers_are_found_by_name_and_by_the_classes_that_they_make() -> None:
    for vendor in VENDORS:
        for controller in vendor_controllers(vendor):
            assert all(find_controller(name) is controller for name in controller.names)
            assert all(find_controller("", name) is controller for name in controller.classes)
            assert all(find_controller("other", name) is ANY for name in controller.classes)
    assert find_controller("", "other") is ANY


def test_all_routes_are_of_the_gateway_api() -> None:
    """The rows of its group are asked for them; the rest of the table need not be read."""
    others = [kind for kind in TABLE if kind.group != GATEWAY_API]
    assert not any(kind.is_route or kind.protocols for kind in others)


def test_a_hub_reads_the_rows_of_its_groups_alone() -> None:
    program = (
        "import sys; from spokerender.kinds.catalogue import Catalogue; c = Catalogue.of([])\n"
        "c.kind('kuadrant.io', 'AuthPolicy'), c.known('', 'Service'), c.kind('example.com', 'X')\n"
        "print(*sorted(name for name in sys.modules if 'kinds.table.' in name))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    names = {name.rpartition(".")[2].removesuffix("_needs") for name in done.stdout.split()}
    assert names == {"kuadrant", "kubernetes"}
