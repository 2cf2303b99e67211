"""Overrides: what they match, what they may change, in which order, and what they are told."""

from __future__ import annotations

from typing import Any

import pytest

from render.model import Origin
from render.pipeline import Rendered
from tests.stages import CLASS, auth, gateway, objects, render, route, told

LISTENERS = (
    '[{name: http, port: 80, protocol: HTTP, hostname: "*.shop.example", '
    "allowedRoutes: {namespaces: {from: All}}}]"
)
HUB = (
    CLASS,
    gateway("web", listeners=LISTENERS),
    auth(
        "web",
        "kind: Gateway, name: web",
        metadata="labels: {team: a}, annotations: {note: old}",
        spec="rules: {a: 1, b: 2}, list: [one, two]",
    ),
    auth("web", "kind: Gateway, name: web", kind="DNSPolicy", spec="weight: 1"),
    auth("cart", "kind: HTTPRoute, name: cart", "shop", metadata="labels: {team: b}"),
    route("cart", "[{name: web, namespace: infra}]", spec="hostnames: [a.shop.example]"),
)
SPOKES = (
    "- {name: eu, labels: {region: eu}, values: {number: 5}}\n- {name: us, labels: {region: us}}\n"
)
ALL = "{all: true}"
MOVED = "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {name: edge, namespace: gw}}"
POLICY = "AuthPolicy infra/web"


def override(target: str, patch: str, spokes: str = ALL, more: str = "") -> str:
    return f"- {{target: {target}, spokes: {spokes}, {patch}{more}}}\n"


def overridden(*entries: str, rules: str = "") -> Rendered:
    settings = {"rules": rules} if rules else {}
    return render(HUB, spokes=SPOKES, overrides="".join(entries), **settings)


def spec(found: Rendered, name: str = POLICY, spoke: str = "eu") -> Any:
    data = dict(objects(found, spoke)[name]["spec"])
    data.pop("targetRef", None)
    return data


def test_a_merge_patch_adds_replaces_and_removes() -> None:
    found = overridden(
        override(
            "{kind: AuthPolicy, name: web}",
            "merge: {metadata: {annotations: {note: new, more: x}}, "
            "spec: {rules: {a: null, b: {c: 3}}, list: [three], when: [x]}}",
        )
    )
    assert told(found.results) == []
    assert objects(found)[POLICY] == {
        "apiVersion": "kuadrant.io/v1",
        "kind": "AuthPolicy",
        "metadata": {
            "name": "web",
            "namespace": "infra",
            "labels": {"team": "a"},
            "annotations": {"note": "new", "kuadrant.io/policy-synced": "true", "more": "x"},
        },
        "spec": {
            "targetRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "web"},
            "rules": {"b": {"c": 3}},
            "list": ["three"],
            "when": ["x"],
        },
    }


def test_a_json_patch_does_its_operations_in_order() -> None:
    found = overridden(
        override(
            "{kind: AuthPolicy, name: web}",
            "patch: [{op: test, path: /spec/rules/a, value: 1}, "
            "{op: move, from: /spec/rules/a, path: /spec/rules/c}, "
            "{op: copy, from: /spec/rules/c, path: /spec/rules/d}, "
            "{op: replace, path: /spec/rules/c, value: 9}, "
            "{op: remove, path: /spec/list/0}, {op: add, path: /spec/list/-, value: [three]}]",
        )
    )
    assert told(found.results) == []
    assert spec(found) == {"rules": {"b": 2, "c": 9, "d": 1}, "list": ["two", ["three"]]}


def test_overrides_are_applied_in_the_stated_order() -> None:
    first = override("{kind: AuthPolicy}", "merge: {spec: {x: first, only: first}}")
    second = override("{kind: AuthPolicy}", "merge: {spec: {x: second}}")
    assert spec(overridden(first, second))["x"] == "second"
    found = spec(overridden(second, first))
    assert (found["x"], found["only"]) == ("first", "first")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("{kind: AuthPolicy}", ["AuthPolicy infra/web", "AuthPolicy shop/cart"]),
        ("{kind: AuthPolicy, namespace: shop}", ["AuthPolicy shop/cart"]),
        ("{kind: AuthPolicy, name: web}", ["AuthPolicy infra/web"]),
        ("{kind: AuthPolicy, selector: {matchLabels: {team: b}}}", ["AuthPolicy shop/cart"]),
        (
            "{kind: AuthPolicy, selector: {matchExpressions: [{key: team, operator: Exists}]}}",
            ["AuthPolicy infra/web", "AuthPolicy shop/cart"],
        ),
        (
            "{group: kuadrant.io, kind: AuthPolicy, namespace: infra, name: web}",
            ["AuthPolicy infra/web"],
        ),
        ("{kind: Gateway}", ["Gateway infra/web"]),
        ("{kind: HTTPRoute}", ["HTTPRoute shop/cart"]),
    ],
)
def test_an_override_changes_what_it_targets_and_nothing_else(
    target: str, expected: list[str]
) -> None:
    found = overridden(override(target, "merge: {spec: {mark: x}}"))
    assert told(found.results) == []
    assert [name for name, data in objects(found).items() if "mark" in data["spec"]] == expected


@pytest.mark.parametrize(
    ("spokes", "expected"),
    [
        (ALL, ["eu", "us"]),
        ("{names: [us]}", ["us"]),
        ("{selector: {matchLabels: {region: eu}}}", ["eu"]),
    ],
)
def test_an_override_changes_its_spokes_and_no_others(spokes: str, expected: list[str]) -> None:
    found = overridden(override("{kind: DNSPolicy}", "merge: {spec: {weight: 2}}", spokes))
    weights = {name: spec(found, "DNSPolicy infra/web", name)["weight"] for name in ("eu", "us")}
    assert [name for name, weight in weights.items() if weight == 2] == expected


def test_overrides_match_hub_names_after_everything_has_moved() -> None:
    found = overridden(
        override("{kind: Gateway, namespace: infra, name: web}", "merge: {spec: {mark: x}}"),
        override("{kind: AuthPolicy, namespace: infra, name: web}", "merge: {spec: {mark: x}}"),
        rules=MOVED,
    )
    assert told(found.results) == []
    assert spec(found, "Gateway gw/edge")["mark"] == "x"
    assert spec(found, "AuthPolicy gw/web")["mark"] == "x"
    wrong = overridden(override("{kind: Gateway, namespace: gw}", "merge: {a: b}"), rules=MOVED)
    assert [result.code for result in wrong.results if result.severity == "error"] == ["SR1601"]


def test_expressions_speak_of_spoke_policy_and_gateway() -> None:
    found = overridden(
        override(
            "{kind: AuthPolicy, name: web}",
            'merge: {spec: {text: "{{ spoke.name }}-{{ policy.name }}", '
            'kept: "{{ spoke.values.number }}", flag: "{{ spoke.labels.region == \'eu\' }}", '
            'policy: "{{ policy }}", gateway: "{{ gateway.namespace }}/{{ gateway.name }}", '
            'deep: ["{{ spoke.labels }}", [{a: "{{ spoke.values.number + 1 }}"}]]}}',
            "{names: [eu]}",
        ),
        rules=MOVED,
    )
    assert told(found.results) == []
    data = spec(found, "AuthPolicy gw/web")
    assert {key: data[key] for key in ("text", "kept", "flag", "policy", "gateway", "deep")} == {
        "text": "eu-web",
        "kept": 5,
        "flag": True,
        "policy": {
            "kind": "AuthPolicy",
            "name": "web",
            "namespace": "infra",
            "labels": {"team": "a"},
            "annotations": {"note": "old"},
        },
        "gateway": "gw/edge",
        "deep": [{"region": "eu"}, [{"a": 6}]],
    }


def test_an_expression_that_gives_null_removes_as_null_does() -> None:
    found = overridden(
        override(
            "{kind: AuthPolicy, name: web}",
            "merge: {spec: {list: \"{{ none if spoke.labels.region == 'eu' else spoke.name }}\"}}",
        )
    )
    assert [spec(found, spoke=name).get("list") for name in ("eu", "us")] == [None, "us"]
    assert "list" not in spec(found)


def test_a_pointer_may_be_an_expression() -> None:
    found = overridden(
        override(
            "{kind: AuthPolicy, name: web}",
            'patch: [{op: add, path: "/spec/rules/{{ spoke.name }}", value: "{{ spoke.name }}"}]',
        )
    )
    assert [spec(found, spoke=name)["rules"] for name in ("eu", "us")] == [
        {"a": 1, "b": 2, "eu": "eu"},
        {"a": 1, "b": 2, "us": "us"},
    ]


def test_a_test_operation_sees_the_values() -> None:
    entry = (
        "{kind: AuthPolicy, name: web}",
        (
            'patch: [{op: add, path: /spec/x, value: "{{ spoke.name }}"}, '
            "{op: test, path: /spec/x, value: eu}]"
        ),
    )
    found = overridden(override(*entry))
    assert told(found.results) == [
        (
            "SR1602 AuthPolicy infra/web spec.overrides[0]: operation [1] (test /spec/x): it is "
            "the "
            'text "us", not the text "eu" (mend the path, or leave these spokes out of the '
            "override) "
            "[us]"
        )
    ]


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (
            "patch: [{op: replace, path: /spec/rulez/a, value: 1}]",
            (
                "SR1602 AuthPolicy infra/web spec.overrides[0]: operation [0] (replace "
                "/spec/rulez/a): "
                '/spec has no "rulez"; did you mean "rules"? (mend the path, or leave these spokes '
                "out of the override) [eu us]"
            ),
        ),
        (
            "patch: [{op: remove, path: /spec/list/2}]",
            (
                "SR1602 AuthPolicy infra/web spec.overrides[0]: operation [0] (remove "
                "/spec/list/2): "
                "/spec/list is a list of 2; it has no item 2 (mend the path, or leave these spokes "
                "out of the override) [eu us]"
            ),
        ),
        (
            'merge: {spec: {x: "{{ spoke.values.nope }}"}}',
            (
                "SR1406 AuthPolicy infra/web spec.overrides[0].merge.spec.x: spoke.values has no "
                '"nope"; it has number (mend the expression, or the spoke\'s labels and values '
                "that it "
                "uses) [eu]"
            ),
        ),
        (
            'patch: [{op: add, path: /spec/x, value: {a: ["{{ policy.nope }}"]}}]',
            (
                "SR1406 AuthPolicy infra/web spec.overrides[0].patch[0].value.a[0]: policy has no "
                '"nope"; it has annotations, kind, labels, name, namespace (mend the expression, '
                "or the "
                "spoke's labels and values that it uses) [eu us]"
            ),
        ),
        (
            'merge: {spec: {x: "{{ spoke.__class__ }}"}}',
            (
                'SR1406 AuthPolicy infra/web spec.overrides[0].merge.spec.x: "__class__" is not '
                "allowed: it is private (mend the expression, or the spoke's labels and values "
                "that it "
                "uses) [eu us]"
            ),
        ),
    ],
)
def test_a_patch_that_does_not_fit_is_an_error(patch: str, expected: str) -> None:
    found = overridden(override("{kind: AuthPolicy, name: web}", patch))
    assert told(found.results)[:1] == [expected]
    assert found.results[-1].code != "SR1601"


IDENTITY = (
    "an override may not change apiVersion's group, kind, name or namespace (say it in the rule's "
    "`as`, which moves everything that refers to it as well) [eu us]"
)


@pytest.mark.parametrize(
    "patch",
    [
        "merge: {metadata: {name: other}}",
        "merge: {metadata: {namespace: other}}",
        "merge: {metadata: {namespace: null}}",
        "merge: {metadata: null}",
        "merge: {kind: Other}",
        "merge: {apiVersion: other.io/v1}",
        "patch: [{op: remove, path: /metadata/name}]",
        'patch: [{op: replace, path: "", value: {a: b}}]',
        'patch: [{op: replace, path: "", value: [a]}]',
        'merge: {metadata: {name: "{{ spoke.name }}"}}',
    ],
)
def test_an_identity_cannot_be_changed(patch: str) -> None:
    found = overridden(override("{kind: AuthPolicy, name: web}", patch))
    assert told(found.results) == [f"SR1603 AuthPolicy infra/web spec.overrides[0]: {IDENTITY}"]
    assert [result.origin for result in found.results if result.code == "SR1603"] == [
        Origin("placement.yaml", 0, 11)
    ]


@pytest.mark.parametrize(
    "patch",
    [
        "merge: {metadata: {name: web, namespace: infra}}",
        "merge: {apiVersion: kuadrant.io/v1beta3}",
        'merge: {metadata: {name: "{{ policy.name }}", namespace: "{{ gateway.namespace }}"}}',
        'merge: {spec: {targetRef: {name: "{{ gateway.name }}"}}}',
    ],
)
def test_what_stays_the_same_may_be_said_again(patch: str) -> None:
    assert told(overridden(override("{kind: AuthPolicy, name: web}", patch)).results) == []


REFERENCE = (
    "an override may not change what a reference names (retarget with the rule's `as`; let a "
    "different policy target something else) [eu us]"
)


@pytest.mark.parametrize(
    ("target", "patch", "resource"),
    [
        ("AuthPolicy, name: web", "merge: {spec: {targetRef: {name: other}}}", POLICY),
        ("AuthPolicy, name: web", "merge: {spec: {targetRef: {kind: HTTPRoute}}}", POLICY),
        ("AuthPolicy, name: web", "merge: {spec: {targetRef: {sectionName: http}}}", POLICY),
        ("AuthPolicy, name: web", "merge: {spec: {targetRef: null}}", POLICY),
        ("AuthPolicy, name: web", "patch: [{op: remove, path: /spec}]", POLICY),
        (
            "HTTPRoute",
            "patch: [{op: add, path: /spec/parentRefs/-, value: {name: more}}]",
            "HTTPRoute shop/cart",
        ),
        (
            "HTTPRoute",
            "patch: [{op: replace, path: /spec/parentRefs/0/namespace, value: x}]",
            "HTTPRoute shop/cart",
        ),
    ],
)
def test_a_gateway_reference_cannot_be_changed(target: str, patch: str, resource: str) -> None:
    found = overridden(override(f"{{kind: {target}}}", patch))
    assert f"SR1603 {resource} spec.overrides[0]: {REFERENCE}" in told(found.results, "SR1603")


@pytest.mark.parametrize(
    ("target", "named"),
    [
        ("{kind: TLSPolicy}", "no TLSPolicy that it selects"),
        ("{kind: AuthPolicy, name: wbe}", "no AuthPolicy */wbe"),
        ("{kind: AuthPolicy, namespace: x, name: web}", "no AuthPolicy x/web"),
        ("{group: other.io, kind: AuthPolicy}", "no AuthPolicy that it selects"),
        ("{kind: AuthPolicy, selector: {matchLabels: {team: c}}}", "no AuthPolicy that it selects"),
        # In the hub, but never shipped.
        ("{kind: GatewayClass}", "no GatewayClass that it selects"),
    ],
)
def test_an_override_that_matches_nothing_is_an_error(target: str, named: str) -> None:
    entry = override(target, "merge: {a: b}")
    found = overridden(entry)
    assert told(found.results) == [
        (
            f"SR1601 spec.overrides[0].target: matches nothing: {named} is shipped to its spokes "
            f"(mend "
            "the target or the spokes, or set `optional: true`)"
        )
    ]
    assert [result.origin for result in found.results if result.code == "SR1601"] == [
        Origin("placement.yaml", 0, 11)
    ]
    assert told(overridden(entry.replace("}\n", ", optional: true}\n")).results) == []


def test_an_override_that_matches_on_one_of_its_spokes_matches() -> None:
    found = overridden(
        override("{kind: AuthPolicy}", "merge: {spec: {x: 1}}"),
        rules="- {gateways: {names: [infra/web]}, spokes: {names: [us]}}",
    )
    assert told(found.results) == []


def test_an_override_for_an_existing_gateway_matches_nothing() -> None:
    found = overridden(
        override("{kind: Gateway}", "merge: {spec: {x: 1}}"),
        rules="- {gateways: {names: [infra/web]}, spokes: {all: true}, mode: existing, "
        "as: {listeners: [{name: http, allowedRoutes: {namespaces: {from: All}}}]}}",
    )
    assert [line[:6] for line in told(found.results)] == ["SR1601"]


def test_an_override_whose_spokes_nobody_is_today_is_a_warning_only() -> None:
    found = overridden(
        override("{kind: AuthPolicy}", "merge: {a: b}", "{selector: {matchLabels: {region: ap}}}")
    )
    assert told(found.results) == [
        (
            "SR1403 spec.overrides[0].spokes.selector: the selector selects no spoke today (mend "
            "the "
            "selector, or set `optional: true` if that is intended)"
        )
    ]


@pytest.mark.parametrize(
    ("target", "patch", "code"),
    [
        ("Gateway", "merge: {spec: {gatewayClassName: hub}}", "SR1306"),
        ("Gateway", "merge: {spec: {listeners: []}}", "SR1704"),
        (
            "Gateway",
            "patch: [{op: replace, path: /spec/listeners/0/hostname, value: '*.other.example'}]",
            "SR1704",
        ),
        ("HTTPRoute", "merge: {spec: {hostnames: [a.other.example]}}", "SR1704"),
        (
            "Gateway",
            "patch: [{op: remove, path: /spec/listeners/0/allowedRoutes}]",
            "SR1703",
        ),
        (
            "Gateway",
            "merge: {spec: {tls: {backend: {clientCertificateRef: {name: c, namespace: x}}}}}",
            "SR1705",
        ),
    ],
)
def test_every_check_runs_after_the_overrides(target: str, patch: str, code: str) -> None:
    assert [r for r in overridden().results if r.severity == "error"] == []
    found = overridden(override(f"{{kind: {target}}}", patch))
    assert code in {result.code for result in found.results}


def test_the_hub_is_not_changed_by_what_spokes_override() -> None:
    found = overridden(
        override("{kind: AuthPolicy}", "merge: {spec: {rules: null}}", "{names: [eu]}")
    )
    assert "rules" not in spec(found)
    assert spec(found, spoke="us")["rules"] == {"a": 1, "b": 2}
    untouched = {str(m.ref): m.object for m in found.hub.manifests}
    assert untouched["AuthPolicy infra/web"]["spec"]["rules"] == {"a": 1, "b": 2}


def test_gateway_is_not_defined_for_a_policy_on_two() -> None:
    both = (
        "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: SecurityPolicy\n"
        "metadata: {name: both, namespace: infra}\nspec: {targetRefs: ["
        "{group: gateway.networking.k8s.io, kind: Gateway, name: web}, "
        "{group: gateway.networking.k8s.io, kind: Gateway, name: api}]}\n"
    )
    found = render(
        [*HUB, gateway("api"), both],
        "- {gateways: {names: [infra/web, infra/api]}, spokes: {all: true}}",
        overrides=override("{kind: SecurityPolicy}", 'merge: {spec: {x: "{{ gateway.name }}"}}'),
    )
    assert told(found.results) == [
        (
            'SR1406 SecurityPolicy infra/both spec.overrides[0].merge.spec.x: "gateway" is not '
            "defined; there are policy, spoke (mend the expression, or the spoke's labels and "
            "values "
            "that it uses) [eu us]"
        )
    ]
