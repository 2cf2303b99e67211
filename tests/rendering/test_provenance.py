"""Every field of a rendered object is traced to the line that gave it its value."""

from pathlib import Path
from typing import Any

import pytest

from spokerender.formats.comparing import ABSENT, Item, changes, located
from spokerender.kinds.table import list_maps
from spokerender.rendering.values.bundles import Bundle, How, Variant
from spokerender.rendering.values.provenance import History
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.places import hub_line
from tests.support import cases, each, text_of
from tests.support.project import FLEET, PLACEMENT, rendered, rendered_folder

EXAMPLES = Path(__file__).parents[2] / "examples"

HUB = text_of(__file__, "provenance.yaml")
OTHER = text_of(__file__, "provenance_other.yaml")
PLACE = PLACEMENT + text_of(__file__, "provenance_placement.yaml")
RULE, FIRST, SECOND, PATCH = (f"placement.yaml:{line}" for line in (9, 17, 20, 23))


@pytest.fixture(scope="module")
def fleet() -> Rendered:
    return rendered({"hub/hub.yaml": HUB, "hub/other.yaml": OTHER}, PLACE)


def shipped(fleet: Rendered, spoke: str, kind: str) -> tuple[Bundle, Variant]:
    bundle = fleet.bundles[spoke]
    return bundle, next(v for v in bundle.blueprint.variants if v.manifest.ref.kind == kind)


def traced(fleet: Rendered, spoke: str, kind: str) -> list[tuple[Any, ...]]:
    """Path, old, new, how, where the source and where the field in the hub is."""
    return [
        (
            "/".join(map(str, field.path)),
            field.old,
            field.new,
            field.source.how,
            str(field.source.origin),
            str(field.source.hub),
        )
        for field in History(fleet, *shipped(fleet, spoke, kind)).changed()
    ]


def test_a_gateways_fields_come_from_the_rule_and_the_class(fleet: Rendered) -> None:
    hub = "hub/hub.yaml"
    assert traced(fleet, "eu", "Gateway") == [
        ("metadata/namespace", "infra", "ingress", How.RULE, RULE, f"{hub}:6"),
        (
            "spec/gatewayClassName",
            "hub",
            "istio",
            How.DOWNSTREAM_CLASS,
            "hub/other.yaml:17",
            f"{hub}:9",
        ),
        *(
            (
                f"spec/listeners/name={name}/hostname",
                "*.shop.example",
                "*.eu.example",
                How.RULE,
                RULE,
                f"{hub}:{line}",
            )
            for name, line in (("http", 12), ("https", 16))
        ),
    ]


def test_a_policys_fields_come_from_the_override_that_wrote_them_last(fleet: Rendered) -> None:
    hub = "hub/hub.yaml"
    lost = (How.CLUSTER_OWNED,)
    assert traced(fleet, "eu", "DNSPolicy") == [
        (
            "metadata/annotations/kuadrant.io/policy-synced",
            ABSENT,
            "true",
            How.SYNCED,
            f"{hub}:26",
            f"{hub}:26",
        ),
        ("metadata/namespace", "infra", "ingress", How.RULE, RULE, f"{hub}:24"),
        ("metadata/uid", "3f1c", ABSENT, *lost, f"{hub}:25", f"{hub}:25"),
        ("spec/added/a", ABSENT, 1, How.OVERRIDE, FIRST, f"{hub}:28"),
        ("spec/added/b", ABSENT, 2, How.OVERRIDE, SECOND, f"{hub}:28"),
        ("spec/loadBalancing/defaultGeo", True, ABSENT, How.OVERRIDE, SECOND, f"{hub}:33"),
        ("spec/loadBalancing/geo", "EU", "NA", How.OVERRIDE, SECOND, f"{hub}:32"),
        ("spec/loadBalancing/weight", 100, 120, How.OVERRIDE, FIRST, f"{hub}:31"),
        ("status", {"conditions": []}, ABSENT, *lost, f"{hub}:34", f"{hub}:34"),
    ]


def test_a_routes_fields_come_from_the_rule_and_from_the_hub(fleet: Rendered) -> None:
    hub = "hub/hub.yaml"
    assert traced(fleet, "eu", "HTTPRoute") == [
        ("metadata/namespace", ABSENT, "default", How.DEFAULT_NAMESPACE, f"{hub}:39", f"{hub}:39"),
        ("spec/hostnames/0", "www.shop.example", "www.eu.example", How.RULE, RULE, f"{hub}:48"),
        ("spec/parentRefs/0/namespace", "infra", "ingress", How.RULE, RULE, f"{hub}:44"),
        (
            "spec/parentRefs/1",
            {"name": "other", "namespace": "infra"},
            ABSENT,
            How.DROPPED,
            f"{hub}:45",
            f"{hub}:45",
        ),
        ("spec/rules/0", ABSENT, {"name": "new-eu"}, How.OVERRIDE, PATCH, f"{hub}:50"),
    ]


def test_an_override_that_writes_the_value_that_was_there_is_its_source(fleet: Rendered) -> None:
    path = ("spec", "loadBalancing", "weight")
    source = History(fleet, *shipped(fleet, "us", "DNSPolicy")).source(path)
    assert (source.how, str(source.origin)) == (How.OVERRIDE, FIRST)
    assert "spec/loadBalancing/weight" not in {row[0] for row in traced(fleet, "us", "DNSPolicy")}


@cases(
    ("Gateway", (), 2),
    ("Gateway", ("metadata", "labels", "team"), 7),
    ("Gateway", ("spec", "listeners", Item((("name", "https"),)), "port"), 17),
    ("HTTPRoute", ("spec", "rules", 0, "nothing", "here"), 50),
)
def test_a_field_that_nothing_touched_comes_from_its_line_in_the_hub(
    kind: str, path: Any, line: int, fleet: Rendered
) -> None:
    source = History(fleet, *shipped(fleet, "us", kind)).source(path)
    assert (source.how, str(source.origin)) == (How.HUB, f"hub/hub.yaml:{line}")


def test_a_field_of_an_item_of_a_list_is_found_in_the_text_of_the_list() -> None:
    hub = """\
    apiVersion: v1
    kind: List
    items:
    - apiVersion: gateway.networking.k8s.io/v1
      kind: Gateway
      metadata: {name: public, namespace: infra}
      spec: {gatewayClassName: istio, listeners: []}
    """
    fleet = rendered(
        hub, PLACE.partition("  overrides:")[0], FLEET + "  policiesToSync: [{kind: DNSPolicy}]\n"
    )
    manifest = fleet.hub.manifests[0]
    assert manifest.written is not None
    assert not manifest.written.is_spliced
    assert str(manifest.origin) == "hub/hub.yaml:4"
    assert str(hub_line(manifest, ("spec",))) == "hub/hub.yaml:7"


def test_the_rule_that_moved_the_gateway_that_is_named_is_the_source() -> None:
    """Two rules act on the route; each reference is traced to its own."""
    place = PLACEMENT + text_of(__file__, "provenance_moved.yaml")
    shared = HUB.replace('hostname: "*.shop.example"', 'hostname: "*.other.example"')
    fleet = rendered({"hub/hub.yaml": shared, "hub/other.yaml": OTHER}, place)
    found = {row[0]: row[3:5] for row in traced(fleet, "eu", "HTTPRoute")}
    assert found["spec/parentRefs/0/namespace"] == (How.RULE, "placement.yaml:7")
    assert found["spec/parentRefs/1/name"] == (How.RULE, "placement.yaml:10")


@each("shop", "renamed-and-moved", "existing-gateway")
def test_the_traced_fields_are_what_differs_from_the_hub(name: str) -> None:
    """Put into the hub's object, they make the spoke's."""
    fleet = rendered_folder(EXAMPLES / name)
    objects = [
        (bundle, variant)
        for bundle in fleet.bundles.values()
        for variant in bundle.blueprint.variants
        if variant.manifest.written is not None  # what a stage made differs from nothing
    ]
    assert objects
    for bundle, variant in objects:
        final = bundle.object_of(variant)
        fields = History(fleet, bundle, variant).changed()
        differing = changes(variant.manifest.object, final, list_maps(final))
        assert {field.path[:2] for field in fields} == {change.path[:2] for change in differing}
        for field in fields:
            value: Any = final
            for step in located(field.path, final):
                value = value[step]
            assert field.new is ABSENT or field.new == value
            assert field.source.origin.line > 0
