"""The catalogue: the table, the CRDs of the hub, and what is assumed of the rest."""

import itertools
from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import NamespaceRule, ReferencePath, Role
from spokerender.model import GATEWAY_API
from tests.support import cases, rows_of

TABLE_ONLY = Catalogue.of([])


def crd(group: str, kind: str, plural: str, spec: Any = None, **more: Any) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"properties": {"spec": {"properties": spec or {}}}}}
    version = {"name": "v2", "served": True, "storage": True, "schema": schema}
    return {
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced",
            "versions": [version],
            **more,
        }
    }


def reference(**fields: Any) -> dict[str, Any]:
    texts = {name: {"type": "string"} for name in ("group", "kind", "name")}
    return {"type": "object", "properties": texts | fields, "required": ["group", "kind"]}


def test_unknown_kinds_are_assumed() -> None:
    assert not TABLE_ONLY.known("example.com", "CachePolicy")
    assert TABLE_ONLY.known("kuadrant.io", "AuthPolicy")
    kind = TABLE_ONLY.kind("example.com", "CachePolicy")
    assert (kind.plural, kind.versions, kind.namespaced) == ("cachepolicies", (), True)
    assert {rule.path for rule in kind.references} == {
        "spec.targetRef",
        "spec.targetRefs[]",
        "spec.targetSelectors[]",
        "spec.parentRefs[]",
    }
    assert {rule.namespace for rule in kind.references} == {NamespaceRule.WRITTEN}
    assert TABLE_ONLY.by_resource("example.com", "cachepolicies") is None
    assert TABLE_ONLY.kind("example.com", "CachePolicy").versions == ()


def test_a_crd_makes_a_kind_known() -> None:
    catalogue = Catalogue.of([crd("example.com", "Cache", "cachez", {"targetRef": reference()})])
    assert catalogue.known("example.com", "Cache")
    kind = catalogue.by_resource("example.com", "cachez")
    assert kind is catalogue.kind("example.com", "Cache")
    assert kind.references == (ReferencePath("spec.targetRef", Role.TARGET),)
    assert catalogue.kind("example.com", "Cache").versions == ("v2",)


def test_a_crd_updates_its_row_and_keeps_what_only_the_row_knows() -> None:
    spec = {"targetRef": reference(), "targetRefs": {"items": reference(), "maxItems": 4}}
    updated = Catalogue.of([crd("kuadrant.io", "AuthPolicy", "authz", spec, scope="Cluster")])
    row = TABLE_ONLY.kind("kuadrant.io", "AuthPolicy")
    kind = updated.kind("kuadrant.io", "AuthPolicy")
    assert (kind.plural, kind.versions, kind.namespaced) == ("authz", ("v2",), False)
    assert kind.references == (
        *row.references,
        ReferencePath("spec.targetRefs[]", Role.TARGET, max_items=4),
    )
    assert (kind.needs, kind.security, kind.annotations) == (row.needs, True, row.annotations)
    assert updated.by_resource("kuadrant.io", "authpolicies") is None


def test_the_order_of_crds_is_of_no_account() -> None:
    files = [
        crd("example.com", "Cache", "caches", {"targetRef": reference()}),
        crd("example.com", "Cache", "caches2"),
        crd("example.com", "Other", "others"),
    ]
    catalogues = [Catalogue.of(shuffled) for shuffled in itertools.permutations(files)]
    assert all(catalogue.all_kinds() == catalogues[0].all_kinds() for catalogue in catalogues)
    assert catalogues[0].kind("example.com", "Cache").plural == "caches"


def test_odd_crds_are_passed_over() -> None:
    odd: list[Any] = [
        {},
        {"spec": 5},
        {"spec": {"group": "example.com", "names": {"plural": "x"}}},
        {"spec": {"group": 5, "names": {"kind": "X"}}},
    ]
    assert Catalogue.of(odd).all_kinds() == TABLE_ONLY.all_kinds()
    versions = [5, {"name": 5}, {"name": "v1", "served": False}, {"name": "v1", "schema": 5}]
    catalogue = Catalogue.of([crd("example.com", "X", "xes", versions=versions)])
    assert catalogue.kind("example.com", "X").versions == ("v1",)
    assert {rule.assumed for rule in catalogue.kind("example.com", "X").references} == {True}


def test_by_resource_from_the_table() -> None:
    kind = TABLE_ONLY.by_resource(GATEWAY_API, "gateways")
    assert kind is not None
    assert kind.kind == "Gateway"
    assert TABLE_ONLY.by_resource("kuadrant.io", "gateways") is None


@cases(*rows_of(__file__, "suggestions"))
def test_suggestions(group: str, name: str, suggestion: str) -> None:
    assert TABLE_ONLY.suggest(group, name) == suggestion
