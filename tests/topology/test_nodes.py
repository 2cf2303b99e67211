"""What a node knows of its object."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY_API, Ref, slots
from spokerender.model.selectors import Selector
from spokerender.model.slots import fill
from spokerender.topology.node import Admission, Listener, NamespaceLabels
from spokerender.topology.reading import read_node
from tests.support import cases, each, manifest, rows_of
from tests.support.stages import node_of

CATALOGUE = Catalogue.of([])


def test_listeners_are_read_with_who_may_attach() -> None:
    found = node_of(
        manifest(
            "Gateway infra/g",
            "gatewayClassName: istio, allowedListeners: {namespaces: {from: All}}, "
            "listeners: [{name: a, port: 80, protocol: HTTP}, nonsense, {name: b, "
            "hostname: b.example, port: 443, protocol: HTTPS, "
            "allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {team: a}}}}}]",
            metadata='labels: {b: "2", a: "1"}',
        )
    )
    assert found.listeners == (
        Listener(0, "a", "", 80, "HTTP", Admission("Same")),
        Listener(
            2, "b", "b.example", 443, "HTTPS", Admission("Selector", Selector((("team", "a"),)))
        ),
    )
    assert (found.labels, found.gateway_class) == ((("a", "1"), ("b", "2")), "istio")
    assert found.admits_listener_sets == Admission("All")
    assert found.sections == ("a", "b")


@cases(*rows_of(__file__, "rules_without_a_name_are_called_by_their_number"))
def test_rules_without_a_name_are_called_by_their_number(
    text: str, sections: list[str] | None
) -> None:
    found = node_of(
        "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n"
        f"metadata: {{name: r, namespace: shop}}\nspec: {text}\n"
    )
    assert (found.sections and list(found.sections)) == sections


def test_a_gateway_without_listeners_has_no_section_and_a_service_unknown_ones() -> None:
    gateways = node_of(
        "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: g}}"
    )
    service = node_of("{apiVersion: v1, kind: Service, metadata: {name: s, namespace: shop}}")
    assert (gateways.sections, service.sections) == ((), None)


def test_references_of_a_gateway_into_other_namespaces_are_known() -> None:
    found = node_of(
        manifest(
            "Gateway infra/g",
            "listeners: [{name: a, tls: {certificateRefs: [{name: here}, {name: too, "
            "namespace: infra}, {name: there, namespace: certs}]}}]",
        )
    )
    assert found.crossing == (
        (Ref("", "Secret", "certs", "there"), "spec.listeners[0].tls.certificateRefs[2]"),
    )


@cases(
    (Admission("All"), "b", {}, True),
    (Admission("Same"), "a", {}, True),
    (Admission("Same"), "b", {}, False),
    (Admission("None"), "a", {}, False),
    (Admission("Nonsense"), "a", {}, False),
    (Admission("Selector", Selector((("x", "1"),))), "b", {"x": "1"}, True),
    (Admission("Selector", Selector((("x", "1"),))), "a", {"x": "2"}, False),
)
def test_admission(admission: Admission, own: str, labels: dict[str, str], admitted: bool) -> None:
    assert admission.admits("a", own, NamespaceLabels(labels, is_complete=True)) is admitted


@cases(*rows_of(__file__, "of_labels_that_nobody_tells_nothing_is_concluded"))
def test_of_labels_that_nobody_tells_nothing_is_concluded(
    selector: Any, may: bool, is_open: bool
) -> None:
    labels = NamespaceLabels({"kubernetes.io/metadata.name": "b"}, is_complete=False)
    admission = Admission("Selector", Selector.read(selector))
    assert admission.admits("a", "b", labels) is may
    assert admission.is_open_question(labels) is is_open


SHAPES: list[Any] = [None, 5, "text", [], ["x", None], {"a": "b"}, {"x": []}]


@each(*SHAPES)
@each("Gateway", "HTTPRoute", "ListenerSet", "ReferenceGrant")
def test_wrong_types_are_passed_over(kind: str, shape: Any) -> None:
    ref = Ref(GATEWAY_API, kind, "infra", "x")
    for spec in (
        shape,
        {
            "listeners": shape,
            "hostnames": shape,
            "rules": shape,
            "parentRefs": shape,
            "from": shape,
        },
        {"listeners": [{"name": shape, "hostname": shape, "port": shape, "allowedRoutes": shape}]},
        {"allowedListeners": {"namespaces": {"from": shape, "selector": shape}}},
    ):
        found = read_node(ref, {"metadata": {"labels": shape}, "spec": spec}, CATALOGUE)
        assert found.ref == ref
        assert hash(found) == hash(found)


def slot_places() -> list[dict[str, Any]]:
    """Gateways that differ from a plain one in one text, each a slot."""
    text = slots.text_slot(7)
    listener: dict[str, Any] = {"name": "a", "port": 80}
    specs: list[dict[str, Any]] = [
        {"gatewayClassName": text},
        {"listeners": [{**listener, "name": text}]},
        {"listeners": [{**listener, "hostname": text}]},
        {"listeners": [{**listener, "protocol": text}]},
        {"listeners": [{**listener, "port": text}]},
        {"listeners": [{**listener, "allowedRoutes": {"namespaces": {"from": text}}}]},
        {
            "listeners": [
                {**listener, "tls": {"certificateRefs": [{"name": "c", "namespace": text}]}}
            ]
        },
        {"allowedListeners": {"namespaces": {"from": text}}},
    ]
    for selector in (
        {"matchLabels": {"a": text}},
        {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": [text]}]},
    ):
        namespaces = {"from": "Selector", "selector": selector}
        specs.append({"listeners": [{**listener, "allowedRoutes": {"namespaces": namespaces}}]})
    return [{"metadata": {}, "spec": spec} for spec in specs] + [
        {"metadata": {"labels": {"a": text}}, "spec": {}}
    ]


@each(*slot_places(), ids=ascii)
def test_filling_an_object_is_filling_its_node(data: dict[str, Any]) -> None:
    """Nothing that decides is lost, and nothing is read of a slot that is not true of its value."""
    ref, values = Ref(GATEWAY_API, "Gateway", "infra", "g"), {slots.text_slot(7): "value"}
    found = read_node(ref, data, CATALOGUE)
    assert found != read_node(ref, {"metadata": {}, "spec": {}}, CATALOGUE)
    assert fill(found, values) == read_node(ref, slots.fill(data, values), CATALOGUE) != found
