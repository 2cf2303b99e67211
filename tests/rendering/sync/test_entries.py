"""An entry of a sync list: a GVK or a GVR."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Origin, Ref
from spokerender.model.refs import GroupKind
from spokerender.rendering.sync import SyncFaults, read_entry_kind
from tests.support import cases, manifest, rows_of
from tests.support.stages import told, values

CRD = manifest(
    "CustomResourceDefinition mice.example.com",
    "group: example.com, scope: Namespaced, names: {kind: Mouse, plural: mice}, "
    "versions: [{name: v1, served: true, storage: true}]",
    api="apiextensions.k8s.io/v1",
)
CATALOGUE = Catalogue.of(values(CRD))
PRESENT = frozenset([("example.com", "Present")])


def understood(entry: Any) -> tuple[GroupKind | None, list[str]]:
    faults = SyncFaults(Ref("", "ConfigMap", "ns", "c"), Origin("hub/a.yaml", 2, 7))
    found = read_entry_kind(entry, CATALOGUE, PRESENT, faults, "list[0]")
    assert {result.origin for result in faults.results} <= {Origin("hub/a.yaml", 2, 7)}
    return found, told(faults.results)


@cases(*rows_of(__file__, "kinds_and_resources"))
def test_kinds_and_resources(entry: dict[str, str], kind: str) -> None:
    assert understood(entry) == ((entry.get("group", ""), kind), [])


WHOLE = (
    "SR1302 ConfigMap ns/c list[0]: an entry names group, version and kind (or resource), all of "
    'them texts (write, e.g., {"group": "kuadrant.io", "version": "v1", "kind": "AuthPolicy"})'
)
ONE = (
    "SR1302 ConfigMap ns/c list[0]: exactly one of kind and resource is needed (name the kind, as "
    "in AuthPolicy, or the resource, as in authpolicies)"
)


@cases(
    *(
        (
            bare,
            [
                (
                    f'SR1304 ConfigMap ns/c list[0]: {name} is of group "kuadrant.io", and no '
                    f"group is named (write {{group: kuadrant.io, {key}: {name}}})"
                )
            ],
        )
        for key, name in (("kind", "AuthPolicy"), ("resource", "authpolicies"))
        for bare in (name, {key: name})
    ),
    (
        {"kind": "BackendTrafficPolicy"},
        [
            (
                "SR1304 ConfigMap ns/c list[0]: BackendTrafficPolicy may be of 2 groups, and "
                "no group is named (write the one that is meant: {group: apisix.apache.org, "
                "kind: BackendTrafficPolicy} or {group: gateway.envoyproxy.io, kind: "
                "BackendTrafficPolicy})"
            )
        ],
    ),
    (None, [WHOLE]),
    ({"group": "kuadrant.io", "kind": 5}, [WHOLE]),
    ({"group": "kuadrant.io", "kind": "AuthPolicy", "version": None}, [WHOLE]),
    ({"group": "kuadrant.io"}, [ONE]),
    ({"group": "kuadrant.io", "kind": "AuthPolicy", "resource": "authpolicies"}, [ONE]),
    ({"group": "kuadrant.io", "kind": "AuthPolcy"},
     [('SR1304 ConfigMap ns/c list[0]: nobody knows kind "AuthPolcy" of group '
       '"kuadrant.io" (did you mean "AuthPolicy.kuadrant.io"?)')]),
    ({"group": "kuadrant.io", "resource": "authpolicy"},
     [('SR1304 ConfigMap ns/c list[0]: nobody knows resource "authpolicy" of group '
       '"kuadrant.io" (did you mean "AuthPolicy.kuadrant.io"?)')]),
    ({"group": "nobody.example", "resource": "things"},
     [('SR1304 ConfigMap ns/c list[0]: nobody knows resource "things" of group '
       '"nobody.example" (add its CustomResourceDefinition to the hub folder)')]),
)  # fmt: skip
def test_what_cannot_be_understood(entry: Any, expected: list[str]) -> None:
    assert understood(entry) == (None, expected)


def test_an_unknown_key_is_an_error_though_the_rest_is_understood() -> None:
    assert understood({"group": "kuadrant.io", "kind": "AuthPolicy", "versions": "v1"}) == (
        ("kuadrant.io", "AuthPolicy"),
        [
            (
                'SR1302 ConfigMap ns/c list[0].versions: unknown key "versions" (did you mean '
                '"version"?)'
            )
        ],
    )
