"""References follow their objects, and only within a workspace."""

from pathlib import Path

from tests.conftest import ROOT
from tests.support import rows_of, text_of
from tests.support.project import rendered_folder
from tests.wings.publishing.projects import errors, list_findings, objects, rendered

_ROUTES = rows_of(__file__, "routes")
_POLICIES = rows_of(__file__, "policies")
_GATEWAY = text_of(__file__, "references_gateway.yaml")
_ROUTE = rows_of(__file__, "route")
_POLICY = rows_of(__file__, "policy")


def _files(hub: str = _ROUTES + _POLICIES + _GATEWAY) -> dict[str, str]:
    crds = ROOT / "examples/tenants/crds"
    fleet = (
        "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec:\n  crds: [crds/]\n"
        "  publishing: publishing.yaml\n  policiesToSync:\n"
        "  - {group: gateway.networking.k8s.io, kind: HTTPRoute}\n"
        "  - {group: kuadrant.io, kind: AuthPolicy}\n"
    )
    placement = (
        "apiVersion: spokerender.io/v1alpha1\nkind: Placement\nmetadata: {name: test}\n"
        "spec:\n  spokes: [{name: eu}, {name: kcp}]\n"
        "  rules: [{gateways: {names: [shop/public]}, spokes: {names: [eu]}}]\n"
    )
    return {
        "fleet.yaml": fleet,
        "placement.yaml": placement,
        "crds/things.yaml": "".join(p.read_text() + "---\n" for p in sorted(crds.iterdir())),
        "hub/published.yaml": hub,
        "workspaces/team-a/things.yaml": _ROUTE + _POLICY,
        "workspaces/team-b/things.yaml": "# nobody\n",
    }


def test_group_kind_and_name_follow_a_projected_kind(tmp_path: Path) -> None:
    found = objects(rendered(tmp_path, _files()), "eu")
    (policy,) = (data for data in found.values() if data["kind"] == "AuthPolicy")
    (route,) = (data for data in found.values() if data["kind"] == "HTTPRoute")
    assert policy["spec"]["targetRef"] == {
        "group": "gateway.networking.k8s.io",
        "kind": "HTTPRoute",
        "name": route["metadata"]["name"],
    }
    assert policy["metadata"]["namespace"] == route["metadata"]["namespace"] == "team-a"


def test_a_shared_gateway_stays_what_is_meant_though_the_route_moves(tmp_path: Path) -> None:
    found = objects(rendered(tmp_path, _files()), "eu")
    (route,) = (data for data in found.values() if data["kind"] == "HTTPRoute")
    assert route["spec"]["parentRefs"] == [{"name": "public", "namespace": "shop"}]


def test_what_is_not_published_can_not_be_referred_to(tmp_path: Path) -> None:
    fleet = rendered(tmp_path, _files(hub=_POLICIES.removeprefix("---\n") + _GATEWAY))
    assert errors(fleet) == ["SR2720"]
    ((_, place, message),) = list_findings(fleet, "SR2720")
    assert place == "workspaces/team-a/things.yaml:11"
    assert "WebRoute shop/cart is an object of the workspace without a copy" in message


def test_a_policy_that_can_name_no_namespace_lands_beside_its_target(tmp_path: Path) -> None:
    apart = _POLICIES + "  naming: {namespace: elsewhere}\n"
    assert "SR2721" in errors(rendered(tmp_path, _files(hub=_ROUTES + apart + _GATEWAY)))


def test_the_example_names_each_tenants_file() -> None:
    found = rendered_folder(ROOT / "examples/tenants")
    places = {copy.manifest.origin.path for copy in found.contribution.copies.values()}
    assert places == {"workspaces/team-a/cart.yaml", "workspaces/team-b/cart.yaml"}
