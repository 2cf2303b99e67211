"""What a spoke needs besides, object by object."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.needs import read_requirements
from spokerender.model import GATEWAY_API, shown
from tests.support import cases, each, named_rows_of, rows_of

CATALOGUE = Catalogue.of([])


def needed(group: str, kind: str, data: Any, namespace: str = "infra") -> list[str]:
    """Each requirement as text: kind, namespace/name or selector, path, note."""
    return [
        " ".join(
            text
            for text in (
                f"{item.ref.kind}.{item.ref.group}".rstrip("."),
                f"{item.ref.namespace}/{item.ref.name}",
                f"<{item.selector}>" if item.selector else "",
                "" if not item.explicit_namespace else "(explicit)",
                f"at {shown(item.path)}",
                item.row.elsewhere,
            )
            if text
        )
        for item in read_requirements(CATALOGUE.kind(group, kind), data, namespace)
    ]


@cases(*named_rows_of(__file__, "objects_and_their_needs"))
def test_objects_and_their_needs(of: list[str], data: dict[str, Any], expected: list[str]) -> None:
    group, kind, *namespace = of
    assert needed(group, kind, data, *namespace) == expected


@each("spec", "spec.defaults", "spec.overrides")
def test_auth_policy_also_below_defaults_and_overrides(place: str) -> None:
    rules, expected = rows_of(__file__, "auth_policy_also_below_defaults_and_overrides")
    block = {"rules": rules}
    _, _, side = place.partition(".")
    data = {"spec": {side: block} if side else block}
    own = "in Authorino's namespace"
    everywhere = {"selector": f"{own}, or in every one with allNamespaces"}
    assert needed("kuadrant.io", "AuthPolicy", data) == [
        f"{text.replace(' at ', f' at {place}.rules.')} "
        f"{everywhere.get(text.rpartition('.')[2], own)}"
        for text in expected
    ]


@cases(*rows_of(__file__, "what_crds_of_other_controllers_let_be_named"))
def test_what_crds_of_other_controllers_let_be_named(
    group: str, kind: str, spec: dict[str, Any], expected: str
) -> None:
    """The CRDs at the commits that the rows name."""
    assert needed(group, kind, {"spec": spec}) == [expected]


@each("HTTPRoute", "GRPCRoute", "TCPRoute", "Service")
def test_plugins_of_kong_are_named_by_an_annotation(kind: str) -> None:
    data = {"metadata": {"annotations": {"konghq.com/plugins": "auth, limits ,,shared:acl"}}}
    expected = rows_of(__file__, "plugins_of_kong_are_named_by_an_annotation")
    assert needed("" if kind == "Service" else GATEWAY_API, kind, data) == expected
