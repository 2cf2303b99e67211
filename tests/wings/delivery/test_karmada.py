"""What Karmada is told: each object once, who gets it, and what differs there."""

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

import jsonpatch
from hypothesis import given, strategies as st

from spokerender.wings.delivery.engine import Delivered
from spokerender.wings.delivery.karmada import override_rules
from spokerender.wings.delivery.settings import Delivery
from tests.conftest import ROOT
from tests.support import cases, cyaml, each
from tests.support.project import rendered_folder
from tests.wings.delivery.delivering import deliver, spoke
from tests.wings.delivery.engines import delivered_by, fleet_files
from tests.wings.delivery.test_ocm import shipped, thing

Json = dict[str, Any]
EXAMPLES = sorted(path.name for path in (ROOT / "examples").iterdir() if path.is_dir())
ROUTE = "karmada/shop/httproute.gateway.networking.k8s.io_a.yaml"
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
EXACT = json.dumps


def made(
    trees: Mapping[str, Sequence[Json]], **karmada: Any
) -> tuple[dict[str, list[Json]], list[str]]:
    """The objects in each file, and what is wrong."""
    objects = {name: [shipped(value) for value in values] for name, values in trees.items()}
    fleet = Delivered("clusters", [spoke(name) for name in trees], objects.__getitem__, {})
    files, results = deliver(Delivery.model_validate({"karmada": karmada}), fleet)
    found = {k: list(cyaml.safe_load_all(v)) for each in files for k, v in each.items()}
    return found, [result.message for result in results]


def overridden(template: Json, found: Sequence[Json], cluster: str) -> Json:
    """What Karmada makes of a template on a cluster (pkg/util/overridemanager).

    It has labels and annotations of its own by then.
    """
    value = copy.deepcopy(template)
    for rule in found:
        if cluster in rule["targetCluster"]["clusterNames"]:
            overriders = rule["overriders"]
            for field in ("labels", "annotations"):
                for each in overriders.get(f"{field}Overrider", []):
                    _keyed(value["metadata"], field, each)
            patch = [{**each, "op": each["operator"]} for each in overriders.get("plaintext", [])]
            value = jsonpatch.apply_patch(value, patch)
    return value


def _keyed(metadata: Json, field: str, overrider: Json) -> None:
    for key, value in overrider["value"].items():
        if overrider["operator"] == "add":
            metadata.setdefault(field, {})[key] = value
        elif key in metadata.get(field, {}):
            del metadata[field][key]


def clusters(files: Mapping[str, Sequence[Json]]) -> dict[str, list[Json]]:
    """What each cluster gets; Namespaces go to all that others go to."""
    found: dict[str, list[Json]] = {}
    for documents in files.values():
        *policies, template = documents
        of = {item["kind"].removeprefix("Cluster"): item["spec"] for item in policies}
        rules_of = of.get("OverridePolicy", {}).get("overrideRules", [])
        for item in of.values():
            (selector,) = item["resourceSelectors"]
            metadata = template["metadata"]
            assert selector.pop("namespace", None) == metadata.get("namespace")
            assert selector == {
                "apiVersion": template["apiVersion"],
                "kind": template["kind"],
                "name": metadata["name"],
            }
        names = of["PropagationPolicy"]["placement"]["clusterAffinity"]["clusterNames"]
        for name in names:
            found.setdefault(name, []).append(overridden(template, rules_of, name))
    return found


@each(*EXAMPLES)
def test_every_cluster_gets_its_tree(name: str) -> None:
    found = rendered_folder(ROOT / "examples" / name)
    tree = delivered_by(found, {"karmada": {}})
    got = clusters(fleet_files(tree))
    for spoke_name in found.bundles:
        wanted = [cyaml.safe_load(each.text) for each in tree.written(spoke_name)]
        assert sorted(map(EXACT, got.get(spoke_name, []))) == sorted(map(EXACT, wanted))


def test_an_object_that_is_alike_has_one_policy() -> None:
    files, problems = made({"eu": [thing("a")], "us": [thing("a"), thing("b")]})
    assert problems == []
    policy, template = files[ROUTE]
    assert template == thing("a")
    assert policy == {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "PropagationPolicy",
        "metadata": {"name": "a-httproute", "namespace": "shop"},
        "spec": {
            "resourceSelectors": [
                {
                    "apiVersion": "gateway.networking.k8s.io/v1",
                    "kind": "HTTPRoute",
                    "namespace": "shop",
                    "name": "a",
                }
            ],
            "placement": {
                "clusterAffinity": {"clusterNames": ["eu", "us"]},
                "clusterTolerations": [{"operator": "Exists"}],
            },
            "conflictResolution": "Abort",
            "preserveResourcesOnDeletion": False,
        },
    }
    (other, _) = files[ROUTE.replace("_a", "_b")]
    assert other["spec"]["placement"]["clusterAffinity"] == {"clusterNames": ["us"]}


def test_what_differs_is_overridden_before_it_goes_anywhere() -> None:
    trees = {name: [thing("a", hostnames=[f"{name}.shop"], rules=[])] for name in ("ap", "eu")}
    files, _ = made({**trees, "us": [thing("a", hostnames=["eu.shop"], rules=[])]})
    override, propagation, template = files[ROUTE]
    assert template["spec"]["hostnames"] == ["ap.shop"]
    assert override["metadata"] == {"name": "a-httproute", "namespace": "shop"}
    assert override["spec"]["overrideRules"] == [
        {
            "targetCluster": {"clusterNames": names},
            "overriders": {
                "plaintext": [{"path": "/spec/hostnames", "operator": "replace", "value": [host]}]
            },
        }
        for names, host in ((["ap"], "ap.shop"), (["eu", "us"], "eu.shop"))
    ]
    assert propagation["spec"]["dependentOverrides"] == ["a-httproute"]


def test_what_has_no_namespace_has_cluster_wide_policies() -> None:
    objects = [
        {
            "apiVersion": "gateway.networking.k8s.io/v1",
            "kind": "GatewayClass",
            "metadata": {"name": "a"},
            "spec": {"controllerName": name},
        }
        for name in ("x", "y")
    ]
    files, _ = made({"eu": objects[:1], "us": objects[1:]})
    ((override, propagation, _),) = files.values()
    assert override["kind"] == "ClusterOverridePolicy"
    assert propagation["kind"] == "ClusterPropagationPolicy"
    assert propagation["metadata"] == {"name": "a-gatewayclass"}


def test_karmada_takes_namespaces_everywhere() -> None:
    files, _ = made({"eu": [NAMESPACE]})
    assert files == {"karmada/_cluster/namespace._shop.yaml": [NAMESPACE]}


def test_what_leaves_a_tree_can_stay() -> None:
    files, _ = made({"eu": [thing("a")]}, deletion="orphan", conflictResolution="Overwrite")
    spec = files[ROUTE][0]["spec"]
    assert (spec["preserveResourcesOnDeletion"], spec["conflictResolution"]) == (True, "Overwrite")


OTHER_VERSION = {**thing("a"), "apiVersion": "gateway.networking.k8s.io/v1beta1"}
IN_KUBE_SYSTEM = {**thing("a"), "metadata": {"name": "a", "namespace": "kube-system"}}


@cases(
    ({"e" * 49: [thing("a")]},
     f"names of Karmada's clusters have at most 48 characters: {'e' * 49}"),
    (
        {"eu": [thing("a")], "us": [OTHER_VERSION]},
        (
            "HTTPRoute shop/a is of gateway.networking.k8s.io/v1 on eu and of "
            "gateway.networking.k8s.io/v1beta1 on us: Karmada has the object once, and no "
            "override can change its apiVersion"
        ),
    ),
    ({"eu": [IN_KUBE_SYSTEM]},
     "HTTPRoute kube-system/a: Karmada propagates nothing from namespace kube-system"),
    ({"eu": [thing("a"), thing("a", group="example.com")]},
     ("Karmada would name the bindings of HTTPRoute shop/a of "
      'gateway.networking.k8s.io and example.com both "a-httproute"')),
    ({"eu": [thing("a" * 250)]},
     f"the name of HTTPRoute shop/{'a' * 250} is too long for Karmada's binding of it"),
)  # fmt: skip
def test_what_karmada_can_t_have_is_told(trees: Mapping[str, list[Json]], message: str) -> None:
    assert made(trees) == ({}, [message])


JSON = st.recursive(
    st.sampled_from([None, True, 1, 1.0, 0, "a", "~/"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b/", "~c"]), inner)
    ),
    max_leaves=6,
)
KEYS = st.dictionaries(st.sampled_from(["a", "b/c"]), st.sampled_from(["x", "y"]))
OBJECTS = st.fixed_dictionaries(
    {
        "metadata": st.fixed_dictionaries(
            {"name": st.just("a")},
            optional={"labels": KEYS, "annotations": KEYS, "finalizers": st.lists(st.just("f"))},
        )
    },
    optional={"spec": st.dictionaries(st.sampled_from(["a", "b"]), JSON), "data": KEYS},
)


def kept(value: Json) -> str:
    """What of it counts: an empty map of labels is none."""
    metadata = {k: v for k, v in value["metadata"].items() if v or k == "finalizers"}
    return json.dumps({**value, "metadata": metadata}, sort_keys=True)


@given(st.dictionaries(st.sampled_from(["ap", "eu", "us"]), OBJECTS, min_size=1))
def test_each_cluster_gets_its_own_whoever_is_the_template(objects: dict[str, Json]) -> None:
    found = override_rules(objects)
    template = next(iter(objects.values()))
    assert {name: kept(overridden(template, found, name)) for name in objects} == {
        name: kept(value) for name, value in objects.items()
    }


@given(OBJECTS, OBJECTS)
def test_what_karmada_adds_to_a_template_stays(one: Json, other: Json) -> None:
    template = copy.deepcopy(one)
    template["metadata"].setdefault("labels", {})["karmada.io/own"] = "x"
    found = overridden(template, override_rules({"eu": one, "us": other}), "us")
    assert found["metadata"]["labels"].pop("karmada.io/own") == "x"
    assert kept(found) == kept(other)
