"""What OCM is told: works for each spoke, or one for all clusters of a Placement."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from spokerender.findings.errors import InputError
from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref
from spokerender.rendering.values.trees import Shipped
from spokerender.wings.delivery.engine import Delivered
from spokerender.wings.delivery.ocm_works import Works, indent_lines
from spokerender.wings.delivery.settings import Delivery
from tests.conftest import ROOT
from tests.support import cases, cyaml, each, rows_of
from tests.support.metapolicies import ROUTE as ROUTE_DOCUMENT, rendered
from tests.support.project import rendered_folder
from tests.wings.delivery.delivering import deliver, spoke
from tests.wings.delivery.engines import delivered_by, fleet_files

Json = dict[str, Any]
POLICY = "kuadrant.io"
ROUTE = "gateway.networking.k8s.io"


def thing(name: str, kind: str = "HTTPRoute", group: str = ROUTE, **spec: Any) -> Json:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": metadata, "spec": spec}


def shipped(value: Json, key: object = None) -> Shipped:
    """An object without slots, as it would be in a file of its own."""
    group = value["apiVersion"].rpartition("/")[0]
    metadata = value["metadata"]
    ref = Ref(group, value["kind"], metadata.get("namespace", ""), metadata["name"])
    path = f"{ref.namespace or '_cluster'}/{ref.kind.lower()}.{group}_{ref.name}.yaml"
    text = cyaml.safe_dump(value, sort_keys=False).encode()
    return Shipped(ref, path, key or (path, text), value, {}, lambda: text)


def made(
    trees: Mapping[str, Sequence[Json]], **ocm: Any
) -> tuple[dict[str, list[Json]], list[str]]:
    """The objects in each file, and what is wrong."""
    objects = {name: [shipped(value) for value in values] for name, values in trees.items()}
    fleet = Delivered("clusters", [spoke(name) for name in trees], objects.__getitem__, {})
    files, results = deliver(Delivery.model_validate({"ocm": ocm}), fleet)
    found = {k: list(cyaml.safe_load_all(v)) for each in files for k, v in each.items()}
    return found, [result.message for result in results]


def manifests(works: Sequence[Json]) -> list[Json]:
    return [value for work in works for value in work["spec"]["workload"]["manifests"]]


def test_an_object_that_is_too_deep_inside_a_work_is_refused_with_the_limit() -> None:
    """A work puts it three levels deeper."""
    deep: Any = "x"
    for _ in range(97):
        deep = {"a": deep}
    with pytest.raises(InputError) as refused:
        made({"eu": [thing("cart", deep=deep)]})
    assert "is nested deeper than 100 levels" in refused.value.results[0].message


def test_a_spoke_gets_its_objects_in_its_namespace() -> None:
    found = rendered_folder(ROOT / "examples/shop")
    tree = delivered_by(found, {"ocm": {"permissions": False}})
    files = fleet_files(tree)
    assert files.keys() == {f"ocm/{name}.yaml" for name in found.bundles if tree.written(name)}
    for name in found.bundles:
        (work,) = files[f"ocm/{name}.yaml"]
        assert work["metadata"]["namespace"] == name
        wanted = [cyaml.safe_load(each.text) for each in tree.written(name)]
        assert manifests([work]) == wanted


def test_no_engine_deletes_a_work_whose_file_is_gone() -> None:
    files, _ = made({"eu": [thing("a")]})
    for work in files["ocm/eu.yaml"]:
        assert work["metadata"]["annotations"] == {
            "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
            "kustomize.toolkit.fluxcd.io/prune": "disabled",
        }


def test_the_agent_may_manage_the_kinds_that_are_there() -> None:
    values = [thing("a"), thing("b"), thing("p", "AuthPolicy", POLICY)]
    files, _ = made({"eu": values, "us": values[:1]})
    (role,) = manifests(files["ocm/eu.yaml"][:1])
    assert role["metadata"]["labels"] == {"open-cluster-management.io/aggregate-to-work": "true"}
    assert [(r["apiGroups"], r["resources"]) for r in role["rules"]] == [
        ([ROUTE], ["httproutes"]),
        ([POLICY], ["authpolicies"]),
    ]
    (less,) = manifests(files["ocm/us.yaml"][:1])
    assert [rule["resources"] for rule in less["rules"]] == [["httproutes"]]
    permissions = files["ocm/eu.yaml"][0]
    assert permissions["metadata"]["name"] == "spokes-permissions"
    assert permissions["spec"]["deleteOption"] == {"propagationPolicy": "Orphan"}


@cases(*rows_of(__file__, "what_is_deleted_with_a_work"))
def test_what_is_deleted_with_a_work(deletion: str, values: list[Json], option: Json) -> None:
    files, _ = made({"eu": values}, deletion=deletion)
    assert files["ocm/eu.yaml"][1]["spec"]["deleteOption"] == option


def config(value: Json) -> Json:
    files, _ = made({"eu": [value]})
    (entry,) = files["ocm/eu.yaml"][1]["spec"]["manifestConfigs"]
    assert entry["updateStrategy"] == {
        "type": "ServerSideApply",
        "serverSideApply": {"force": True},
    }
    found: Json = entry
    return found


def paths(entry: Json) -> dict[str, str]:
    return {each["name"]: each["path"] for each in entry["feedbackRules"][0]["jsonPaths"]}


def test_a_gateway_tells_its_address_and_how_many_routes_it_has() -> None:
    listeners = [{"name": "http"}, {"name": "https.internal"}, {"name": 'x")]'}, {"name": "http"}]
    entry = config(thing("web", "Gateway", listeners=listeners))
    assert entry["resourceIdentifier"] == {
        "group": ROUTE,
        "resource": "gateways",
        "namespace": "shop",
        "name": "web",
    }
    condition = '.status.conditions[?(@.type=="{}")].{}'
    assert paths(entry) == {
        "Accepted-status": condition.format("Accepted", "status"),
        "Accepted-reason": condition.format("Accepted", "reason"),
        "Programmed-status": condition.format("Programmed", "status"),
        "Programmed-reason": condition.format("Programmed", "reason"),
        "address": ".status.addresses[*].value",
        "attachedRoutes-http": '.status.listeners[?(@.name=="http")].attachedRoutes',
        "attachedRoutes-https.internal": (
            '.status.listeners[?(@.name=="https.internal")].attachedRoutes'
        ),
    }


def test_a_policy_tells_its_conditions_where_its_controller_writes_them() -> None:
    assert paths(config(thing("p", "AuthPolicy", POLICY)))["Enforced-status"] == (
        '.status.conditions[?(@.type=="Enforced")].status'
    )
    assert paths(config(thing("p", "SecurityPolicy", "gateway.envoyproxy.io"))) == {
        f"Accepted-{field}": f'.status.ancestors[*].conditions[?(@.type=="Accepted")].{field}'
        for field in ("status", "reason")
    }
    assert "feedbackRules" not in config(thing("r"))


def counted(manifest: Json) -> int:
    """What OCM's webhook counts, at least: compact JSON, escaped as Go escapes it."""
    text = json.dumps(manifest, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return len(text.encode())


@given(
    sizes=st.lists(st.integers(0, 900), min_size=1, max_size=40),
    filler=st.sampled_from(["x", "&", "é", "<ü>"]),
)
def test_a_work_stays_below_the_limit_and_no_object_is_cut(sizes: list[int], filler: str) -> None:
    values = [thing(f"r{n}", text=filler * (size // 6)) for n, size in enumerate(sizes)]
    files, problems = made({"eu": values}, manifestLimit=4096, permissions=False)
    works = files["ocm/eu.yaml"]
    assert problems == []
    assert all(sum(map(counted, manifests([work]))) <= 4096 for work in works)
    names = [work["metadata"]["name"] for work in works]
    assert len(set(names)) == len(names)
    assert all(name == "spokes" or name.startswith("spokes-") for name in names)
    found = {value["metadata"]["name"]: value for value in manifests(works)}
    assert found == {value["metadata"]["name"]: value for value in values}
    for work in works:
        inside = [value["metadata"]["name"] for value in manifests([work])]
        entries = [e["resourceIdentifier"]["name"] for e in work["spec"]["manifestConfigs"]]
        assert entries == inside


def places(count: int) -> dict[str, str]:
    """Which work each of so many objects is in."""
    values = [shipped(thing(f"r{n}", text="x" * 300)) for n in range(count)]
    parts = Works(Catalogue.of(()), 4096).parts(values)
    return {piece.shipped.ref.name: part.suffix for part in parts for piece in part.pieces}


def test_a_tree_that_grows_moves_no_object_but_out_of_a_work_that_is_full() -> None:
    steps = [places(count) for count in range(1, 60)]
    for before, after in pairwise(steps):
        moved = {name for name, work in before.items() if after[name] != work}
        assert len({before[name] for name in moved}) <= 1
        assert set(before.values()) <= set(after.values())


def test_an_object_that_fits_in_no_work_is_told() -> None:
    values = [thing("small"), thing("large", text="x" * 5000)]
    files, problems = made({"eu": values}, manifestLimit=4096)
    assert files == {}
    assert problems == ["HTTPRoute shop/large alone is larger than manifestLimit"]


def test_a_kind_whose_resource_nobody_knows_is_told() -> None:
    files, problems = made({"eu": [thing("a", "Quota", "example.com")]})
    assert files == {}
    assert problems == ["the resource of kind Quota (example.com) is not known"]


def test_a_placement_has_one_set_for_all_of_its_spokes() -> None:
    same, other = [thing("a"), thing("b")], [thing("a")]
    asked = {"placement": "edge", "namespace": "policies", "spokes": {"names": ["eu", "us"]}}
    files, problems = made({"ap": other, "eu": same, "us": same}, replicaSets=[asked])
    assert problems == []
    assert list(files) == ["ocm/ap.yaml", "ocm/replicasets/policies_edge.yaml"]
    permissions, works = files["ocm/replicasets/policies_edge.yaml"]
    assert permissions["metadata"]["name"] == "spokes-edge-permissions"
    assert works["kind"] == "ManifestWorkReplicaSet"
    assert works["metadata"]["namespace"] == "policies"
    assert works["spec"]["placementRefs"] == [{"name": "edge"}]
    template = works["spec"]["manifestWorkTemplate"]
    assert template["workload"]["manifests"] == same
    assert template["deleteOption"] == {"propagationPolicy": "Foreground"}


@cases(*rows_of(__file__, "a_set_that_can_t_be_is_told"))
def test_a_set_that_can_t_be_is_told(sets: list[list[str]], message: str) -> None:
    trees = {
        "eu": [thing("a", hostnames=["a.eu"])],
        "us": [thing("a", hostnames=["a.us"]), thing("b")],
    }
    asked = [
        {"placement": f"p{n}", "namespace": "policies", "spokes": {"names": names}}
        for n, names in enumerate(sets)
    ]
    assert made(trees, replicaSets=asked) == ({}, [message])


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]) | st.sampled_from(" \n#-:"))


@given(st.recursive(WORDS, lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner)))
def test_what_is_further_in_means_the_same(value: Any) -> None:
    whole = {"a": value}
    text = indent_lines(yamlio.emit(whole), "    ")
    yamlio.prove(f"- - x:\n{indent_lines(text, '  ')}", [[{"x": whole}]])


_UNRELATED = "{apiVersion: v1, kind: ConfigMap, metadata: {name: t, namespace: x}, data: {a: %s}}\n"


@each("edge-eu", "edge-us", "shop", "eu")
def test_an_unrelated_text_of_the_hub_changes_no_byte_of_the_works(text: str) -> None:
    """Law: a work is made of the objects in it, in the order of their paths."""
    files = []
    for documents in ((ROUTE_DOCUMENT,), (ROUTE_DOCUMENT, _UNRELATED % text)):
        tree = delivered_by(rendered({}, *documents), {"ocm": {}})
        files.append({path: bytes(data) for path, data in tree.files("_fleet").items()})
        for works in fleet_files(tree).values():
            places = (value["metadata"].get("namespace") for value in manifests(works))
            names = [place for place in places if place]
            assert len(names) > 1
            assert names == sorted(names)
    assert files[0] == files[1]
