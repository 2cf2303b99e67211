"""Bundles: what is done once for many spokes, and the law that it changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render import slots, yamlio
from render.bundles import Bundle, Bundler
from render.layout import KUSTOMIZATION
from render.pipeline import Rendered
from render.results import Result
from render.tree import FleetTree
from tests.project import rendered
from tests.stages import CLASS, GATEWAY, auth, gateway, hub, objects, placement, render, route

HUB = hub(
    CLASS,
    """\
    apiVersion: gateway.networking.k8s.io/v1
    kind: Gateway
    metadata: {name: web, namespace: infra, labels: {tier: public}}
    spec:
      gatewayClassName: hub
      allowedListeners: {namespaces: {from: Same}}
      listeners:
      - name: http
        hostname: "*.shop.example"
        port: 80
        protocol: HTTP
        allowedRoutes:
          namespaces:
            from: Selector
            selector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: Exists}]}
      - name: https
        hostname: "*.eu.example"
        port: 443
        protocol: HTTPS
        tls: {certificateRefs: [{name: cert}]}
        allowedRoutes: {namespaces: {from: All}}
    ---
    apiVersion: gateway.networking.k8s.io/v1
    kind: Gateway
    metadata: {name: api, namespace: infra, labels: {tier: internal}}
    spec:
      gatewayClassName: hub
      listeners:
      - {name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: Same}}}
    ---
    apiVersion: gateway.networking.k8s.io/v1
    kind: ListenerSet
    metadata: {name: more, namespace: infra}
    spec:
      parentRef: {name: web}
      listeners: [{name: extra, hostname: "x.shop.example", port: 81, protocol: HTTP}]
    ---
    apiVersion: gateway.networking.k8s.io/v1beta1
    kind: ReferenceGrant
    metadata: {name: certs, namespace: certs}
    spec:
      from: [{group: gateway.networking.k8s.io, kind: Gateway, namespace: infra}]
      to: [{group: "", kind: Secret}]
    ---
    apiVersion: gateway.envoyproxy.io/v1alpha1
    kind: SecurityPolicy
    metadata: {name: two, namespace: infra}
    spec:
      targetRefs:
      - {group: gateway.networking.k8s.io, kind: Gateway, name: web, sectionName: http}
      - {group: gateway.networking.k8s.io, kind: Gateway, name: api}
    ---
    apiVersion: gateway.envoyproxy.io/v1alpha1
    kind: SecurityPolicy
    metadata: {name: labelled, namespace: infra}
    spec:
      targetSelectors:
      - {group: gateway.networking.k8s.io, kind: Gateway, matchLabels: {tier: public}}
    ---
    apiVersion: networking.k8s.io/v1
    kind: NetworkPolicy
    metadata: {name: pods, namespace: infra}
    spec: {podSelector: {matchLabels: {gateway.networking.k8s.io/gateway-name: web}}}
    """,
    auth("web", "kind: Gateway, name: web", spec='cel: "host == a.shop.example && infra/web"'),
    auth("web", "kind: Gateway, name: api", kind="DNSPolicy", spec="weight: 1, geo: EU"),
    auth("route", "kind: HTTPRoute, name: a", "shop"),
    route(
        "a",
        "[{name: web, namespace: infra, sectionName: http}, {name: api, namespace: infra}]",
        spec="hostnames: [a.shop.example, shop.example], rules: [{backendRefs: [{name: svc}]}]",
    ),
    route("b", "[{name: web}]", "infra", spec="hostnames: [b.shop.example]"),
)

LENIENT = (
    HUB.replace('hostname: "*', '#hostname: "*')
    .replace("namespaces: {from: Same}", "namespaces: {from: All}")
    .replace("name: web, sectionName: http}", "name: web}")
    .replace("sectionName: http}, {name: api, namespace: infra}", "sectionName: http}")
    .replace("\n  - {group: gateway.networking.k8s.io, kind: Gateway, name: api}", "")
)
"""The same with less that can go wrong, so that more of it is rendered."""

# Texts that meet those of the hub and one another, and that YAML would take for something else.
NAMES = ["infra", "web", "api", "eu", "us", "no", "5", "1e3", "kuadrant-infra", "certs", "default"]
DOMAINS = ["eu.example", "us.example", "shop.example", "x.shop.example", "no", "1e3"]
FREE: list[Any] = [
    "", "on", "1e3", "0x1f", "~", "null", " a ", "a: b #", "é", "two\nlines\n", "{{ x", "*", "=",
    "web", "hub", "istio", "infra", "public", "Same", "All", "a.shop.example", "*.eu.example",
    5, 0, -1, 1.5, 1e21, True, False, None, [], ["on", 5], {"a": "no"}, {}, "x" * 70,
]  # fmt: skip
KEYS = {"name": NAMES, "ns": NAMES, "more": NAMES, "domain": DOMAINS, "other": DOMAINS}

spokes = st.lists(
    st.fixed_dictionaries(
        {key: st.sampled_from(words) for key, words in KEYS.items()}
        | {"x": st.sampled_from(FREE), "z": st.sampled_from(FREE)}
    ),
    min_size=1,
    max_size=4,
)


def value(key: str) -> str:
    return "{{ spoke.values." + key + " }}"


names = st.sampled_from([value("name"), value("more"), value("ns"), "edge", "web-{{ spoke.name }}"])
namespaces = st.sampled_from([value("ns"), value("more"), "edge", "infra", "eu"])
domains = st.sampled_from(
    [f"*.{value('domain')}", f"*.{value('other')}", f"*.x.{value('domain')}", "*.eu.example"]
)
annotations = st.sampled_from([value("domain"), "{{ spoke.values.x | string }}", "on", None])
listeners = st.sampled_from(
    [
        [{"name": "http", "hostname": f"*.{value('domain')}"}],
        [{"name": value("name"), "port": 8080, "protocol": "HTTP"}],
        [{"name": "http", "hostname": "*.us.example", "tag": value("x")}, {"name": "n", "port": 1}],
    ]
)


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


mapped = st.dictionaries(st.sampled_from(["*.shop.example", "*.example"]), domains, max_size=2)
as_what = optional(
    name=names,
    namespace=namespaces,
    gatewayClassName=st.sampled_from([value("name"), "istio", "hub"]),
    naming=st.just("kuadrant-mgc"),
    hostnames=mapped,
    listeners=listeners,
    labels=st.fixed_dictionaries({"tier": st.sampled_from([value("name"), "public", "no", None])}),
    annotations=st.fixed_dictionaries({"a": annotations}),
)
OPEN = {"allowedRoutes": {"namespaces": {"from": "All"}}}
existing = optional(name=names, namespace=namespaces, hostnames=mapped).flatmap(
    lambda as_: st.sampled_from(
        [
            {**as_, "listeners": [{"name": "http", **OPEN}, {"name": value("name"), **OPEN}]},
            {**as_, "listeners": [{"name": "http", "hostname": f"*.{value('domain')}"}]},
        ]
    )
)
rules = st.tuples(
    *(
        st.one_of(
            as_what.map(lambda as_: {"as": as_}),
            existing.map(lambda as_: {"mode": "existing", "as": as_}),
            st.none(),
        )
        for _ in range(2)
    )
)

written = st.sampled_from(
    [*FREE, *map(value, "xz"), value("domain"), value("name"), "a {{ spoke.values.name }}"]
)
about = st.sampled_from(["{{ policy.name }}", "{{ gateway.name }}", "{{ gateway.namespace }}"])
free = written | about | st.lists(written, max_size=2)
places = st.sampled_from(["/metadata/labels/tier", "/metadata/labels/x", "/spec/weight", "/spec/x"])
operations = st.lists(
    st.one_of(
        st.builds(lambda path, value: {"op": "add", "path": path, "value": value}, places, free),
        st.builds(
            lambda path, value: {"op": "test", "path": path, "value": value}, places, written
        ),
        st.just({"op": "copy", "from": "/metadata/name", "path": "/spec/copied"}),
        st.just({"op": "add", "path": "/spec/{{ spoke.values.name }}", "value": value("x")}),
    ),
    min_size=1,
    max_size=3,
)
merges = st.one_of(
    st.fixed_dictionaries(
        {"spec": st.dictionaries(st.sampled_from(["weight", "geo", "x", "cel"]), free, min_size=1)}
    ),
    st.fixed_dictionaries(
        {
            "metadata": st.fixed_dictionaries(
                {
                    "labels": st.fixed_dictionaries(
                        {
                            "tier": st.sampled_from(
                                [value("name"), "public", "{{ spoke.values.x | string }}", None]
                            )
                        }
                    )
                }
            )
        }
    ),
    st.sampled_from(
        [
            {"metadata": {"name": value("name")}},
            {"metadata": {"namespace": "{{ gateway.namespace }}"}},
            {"spec": {"gatewayClassName": value("x")}},
            {"spec": {"hostnames": [f"a.{value('domain')}", value("z")]}},
            {"spec": {"listeners": [{"name": "http", "hostname": value("x")}]}},
            {"spec": {"allowedListeners": {"namespaces": {"from": value("x")}}}},
            {"spec": {"targetRef": {"name": "{{ gateway.name }}"}}},
        ]
    ),
)
KINDS = ["AuthPolicy", "DNSPolicy", "Gateway", "HTTPRoute", "SecurityPolicy", "ReferenceGrant"]
overrides = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.one_of(
            merges.map(lambda patch: {"merge": patch}),
            operations.map(lambda patch: {"patch": patch}),
        ),
        st.sampled_from([{"all": True}, {"names": ["s0"]}]),
    ),
    max_size=3,
)


def entries(items: list[Any]) -> str:
    return yamlio.emit(items) if items else ""


def project(
    documents: str,
    values: list[dict[str, Any]],
    placed: tuple[dict[str, Any] | None, ...],
    patches: list[tuple[str, dict[str, Any], dict[str, Any]]],
) -> Rendered:
    return rendered(
        documents,
        placement(
            entries(
                [
                    {"gateways": {"names": [name]}, "spokes": {"all": True}, **rule}
                    for name, rule in zip(("infra/web", "infra/api"), placed, strict=True)
                    if rule is not None
                ]
            ),
            spokes=entries([{"name": f"s{n}", "values": each} for n, each in enumerate(values)]),
            overrides=entries(
                [
                    {"target": {"kind": kind}, "spokes": chosen, "optional": True, **patch}
                    for kind, patch, chosen in patches
                ]
            ),
        ),
    )


def exactly(found: Rendered) -> dict[str, Bundle]:
    """The bundles of the same fleet, every value written in the open from the beginning."""
    bundler = Bundler(found.hub, found.topology, found.decision, found.sync, held=False)
    return {spoke.name: bundler.bundle(spoke) for spoke in found.decision.spokes}


def by_identity(items: Iterable[Any]) -> list[Any]:
    def identity(item: Any) -> tuple[str, str]:
        return item["kind"], str(item["metadata"])

    return sorted(items, key=identity)


def filled(bundle: Bundle) -> list[Any]:
    return [slots.fill(variant.object, bundle.values) for variant in bundle.case.variants]


def findings(bundle: Bundle) -> set[Result]:
    """Everything that is told of one spoke, with its own values in the words."""
    return {
        Result(
            code=result.code,
            severity=result.severity,
            message=str(slots.fill_text(result.message, bundle.values)),
            cure=str(slots.fill_text(result.cure, bundle.values)),
            resource=result.resource,
            field=result.field,
            origin=result.origin,
        )
        for result in (*bundle.case.results, *bundle.results)
    }


def read(files: Mapping[str, bytes]) -> dict[str, Any]:
    documents = {path: yamlio.read(data, path) for path, data in files.items()}
    assert all(problems == () for _, problems in documents.values())
    return {path: found[0].value for path, (found, _) in documents.items()}


@pytest.mark.property
@settings(max_examples=200, deadline=None)
@given(st.sampled_from([HUB, LENIENT]), spokes, rules, overrides)
def test_slots_change_nothing(
    documents: str,
    values: list[dict[str, Any]],
    placed: tuple[dict[str, Any] | None, ...],
    patches: list[tuple[str, dict[str, Any], dict[str, Any]]],
) -> None:
    found = project(documents, values, placed, patches)
    exact = exactly(found)
    for name, bundle in found.bundles.items():
        assert filled(bundle) == filled(exact[name])
        assert findings(bundle) == findings(exact[name])
        if not any(result.severity == "error" for result in findings(bundle)):
            tree = FleetTree(exact, fleet_files={}, one_file=False, namespaces=None)
            files = read(found.tree.files(name))
            expected = read(tree.files(name))
            assert files == {path: expected[path] for path in files}
            del files[KUSTOMIZATION]
            assert by_identity(files.values()) == by_identity(filled(bundle))


def cases(found: Rendered) -> int:
    return len({id(bundle.case) for bundle in found.bundles.values()})


def many(count: int) -> str:
    return "".join(
        f"- {{name: s{n}, values: {{domain: d{n}.example, ns: ns-{n}, x: {n}}}}}\n"
        for n in range(count)
    )


WEB = "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: %s}"
GATEWAYS = (CLASS, gateway("web"), gateway("api"), auth("web", "kind: Gateway, name: web"))


def test_spokes_that_differ_in_values_only_are_one_case() -> None:
    as_ = "{namespace: '{{ spoke.values.ns }}', hostnames: {'*.a': '*.{{ spoke.values.domain }}'}}"
    override = "- {target: {kind: AuthPolicy}, spokes: {all: true}, merge: {spec: {x: '{{ spoke.values.x }}'}}}"
    found = render(GATEWAYS, WEB % as_, spokes=many(5), overrides=override)
    assert cases(found) == 1
    assert [
        [name, objects(found, name)[f"AuthPolicy ns-{n}/web"]["spec"]["x"]]
        for n, name in enumerate(found.bundles)
    ] == [[f"s{n}", n] for n in range(5)]


def test_spokes_that_differ_in_what_is_placed_are_two_cases() -> None:
    rules = WEB % "{}" + "\n- {gateways: {names: [infra/api]}, spokes: {names: [s3]}}"
    found = render(GATEWAYS, rules, spokes=many(5))
    assert cases(found) == 2
    assert "Gateway infra/api" in objects(found, "s3")
    assert "Gateway infra/api" not in objects(found, "s2")


@pytest.mark.parametrize(
    "as_",
    [
        "{naming: kuadrant-mgc}",
        "{hostnames: {'*.shop.example': '*.new.example'}}",
        (
            "{name: edge, namespace: new, gatewayClassName: other, labels: {a: b}, annotations: "
            "{c: "
            "d}}"
        ),
        "{listeners: [{name: http, hostname: '*.new.example'}]}",
    ],
)
def test_what_a_rule_spells_out_is_the_same_on_every_spoke(as_: str) -> None:
    found = render([*GATEWAYS[:1], GATEWAY, *GATEWAYS[2:]], WEB % as_)
    assert cases(found) == 1
    assert {name: dict(bundle.values) for name, bundle in found.bundles.items()} == {
        "eu": {},
        "us": {},
    }


def test_a_name_that_the_hub_or_another_rule_spells_out_is_never_in_a_slot() -> None:
    """Else two gateways on one namespace would look like two."""
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {naming: kuadrant-mgc}}\n"
        "- {gateways: {names: [infra/api]}, spokes: {all: true}, "
        "as: {name: web, namespace: '{{ spoke.values.ns }}'}}"
    )
    spokes = "- {name: a, values: {ns: kuadrant-infra}}\n- {name: b, values: {ns: other}}"
    found = render(GATEWAYS, rules, spokes=spokes)
    assert [(r.code, r.spokes) for r in found.results if r.severity == "error"] == [
        ("SR1511", ("a",)),
        ("SR1507", ("a",)),
    ]


def test_what_an_override_makes_is_checked_as_it_is_on_each_spoke() -> None:
    found = render(
        GATEWAYS,
        overrides="- {target: {kind: Gateway}, spokes: {all: true}, "
        "merge: {spec: {gatewayClassName: '{{ spoke.values.x }}'}}}",
        spokes="- {name: a, values: {x: hub}}\n- {name: b, values: {x: istio}}",
    )
    assert [(r.code, r.spokes) for r in found.results if r.severity == "error"] == [
        ("SR1306", ("a",))
    ]


def test_an_expression_that_fails_on_one_spoke_is_nothing_to_the_others() -> None:
    found = render(
        GATEWAYS,
        overrides="- {target: {kind: AuthPolicy}, spokes: {all: true}, "
        "merge: {spec: {x: '{{ spoke.values.x }}'}}}",
        spokes="- {name: a}\n- {name: b, values: {x: 5}}",
    )
    assert [(r.code, r.spokes) for r in found.results if r.severity == "error"] == [
        ("SR1406", ("a",))
    ]
    assert objects(found, "b")["AuthPolicy infra/web"]["spec"]["x"] == 5


def test_an_override_that_one_spoke_needs_in_the_open_stays_as_it_was_on_another() -> None:
    """The bytes of a spoke must not depend on its neighbours."""
    for_all = (
        "- {target: {kind: AuthPolicy}, spokes: {all: true}, "
        "merge: {spec: {x: '{{ spoke.values.x }}'}}}\n"
    )
    for_one = (
        "- {target: {kind: AuthPolicy}, spokes: {names: [a]}, "
        "merge: {metadata: {labels: {l: '{{ spoke.values.x }}'}}}}\n"
    )
    spokes = '- {name: a, values: {x: "1"}}\n- {name: b, values: {x: "two\\nlines\\n"}}'
    with_label = render(GATEWAYS, overrides=for_all + for_one, spokes=spokes)
    without = render(GATEWAYS, overrides=for_all, spokes=spokes)
    assert with_label.tree.files("b") == without.tree.files("b")
    assert with_label.tree.files("a") != without.tree.files("a")


@pytest.mark.parametrize("odd", ["\U00100000", "a\U00100001b", "\U00104e20"])
@pytest.mark.parametrize("place", ["hub", "rule", "override", "spoke"])
def test_input_that_has_the_characters_of_slots_is_rendered_as_it_is(odd: str, place: str) -> None:
    texts = {key: odd if key == place else "plain" for key in ("hub", "rule", "override", "spoke")}
    found = render(
        [*GATEWAYS[:3], auth("web", "kind: Gateway, name: web", spec=f'x: "{texts["hub"]}"')],
        WEB % f'{{namespace: "{{{{ spoke.values.ns }}}}", annotations: {{a: "{texts["rule"]}"}}}}',
        spokes=f'- {{name: a, values: {{ns: n-1, x: "{texts["spoke"]}"}}}}\n'
        '- {name: b, values: {ns: n-2, x: "plain"}}\n',
        overrides="- {target: {kind: AuthPolicy}, spokes: {all: true}, merge: {spec: {p: "
        f'"{{{{ spoke.values.x }}}}", q: "{texts["override"]}"}}}}}}',
    )
    assert [r for r in found.results if r.severity == "error"] == []
    for name, number in (("a", 1), ("b", 2)):
        spec = objects(found, name)[f"AuthPolicy n-{number}/web"]["spec"]
        spoke = texts["spoke"] if name == "a" else "plain"
        assert (spec["x"], spec["p"], spec["q"]) == (texts["hub"], spoke, texts["override"])
        made = objects(found, name)[f"Gateway n-{number}/web"]["metadata"]["annotations"]
        assert made == {"a": texts["rule"]}
        files = read(found.tree.files(name))
        assert files[f"n-{number}/authpolicy.kuadrant.io_web.yaml"]["spec"] == spec


def test_more_expressions_than_slots_are_rendered_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("render.overrides._SLOTS", 1)
    found = render(
        GATEWAYS,
        overrides="- {target: {kind: AuthPolicy}, spokes: {all: true}, merge: {spec: "
        "{a: '{{ spoke.values.x }}', b: '{{ spoke.values.ns }}', c: '{{ spoke.name }}'}}}",
        spokes=many(2),
    )
    assert [objects(found, name)["AuthPolicy infra/web"]["spec"] for name in ("s0", "s1")] == [
        {
            "targetRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "web"},
            "a": n,
            "b": f"ns-{n}",
            "c": f"s{n}",
        }
        for n in range(2)
    ]
