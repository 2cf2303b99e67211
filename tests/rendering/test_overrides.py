"""Overrides: what they match, what they change, and in which order."""

from spokerender.model import Origin
from spokerender.model.selectors import SpokeSelector
from spokerender.rendering.overrides import may_set_kind
from spokerender.rendering.values.placement import Override, OverrideSelector
from tests.support import cases, rows_of
from tests.support.overriding import MOVED, POLICY, overridden, override, spec
from tests.support.stages import objects, told


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
            "patch: [{op: test, path: /spec/rules/a, value: 1}, {op: move, from: /spec/rules/a, "
            "path: /spec/rules/c}, {op: copy, from: /spec/rules/c, path: /spec/rules/d}, {op: "
            "replace, path: /spec/rules/c, value: 9}, {op: remove, path: /spec/list/0}, {op: add, "
            "path: /spec/list/-, value: [three]}]",
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


@cases(*rows_of(__file__, "an_override_changes_what_it_targets_and_nothing_else"))
def test_an_override_changes_what_it_targets_and_nothing_else(
    target: str, expected: list[str]
) -> None:
    found = overridden(override(target, "merge: {spec: {mark: x}}"))
    assert told(found.results) == []
    assert [name for name, data in objects(found).items() if "mark" in data["spec"]] == expected


@cases(*rows_of(__file__, "an_override_changes_its_spokes_and_no_others"))
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


def test_the_hub_is_not_changed_by_what_spokes_override() -> None:
    found = overridden(
        override("{kind: AuthPolicy}", "merge: {spec: {rules: null}}", "{names: [eu]}")
    )
    assert "rules" not in spec(found)
    assert spec(found, spoke="us")["rules"] == {"a": 1, "b": 2}
    untouched = {str(m.ref): m.object for m in found.hub.manifests}
    assert untouched["AuthPolicy infra/web"]["spec"]["rules"] == {"a": 1, "b": 2}


IDLE = "merge: {spec: {targetRef: {name: web}}}"


def test_an_override_that_changes_nothing_is_told() -> None:
    found = overridden(
        override("{kind: AuthPolicy, name: web}", IDLE),
        override("{kind: AuthPolicy, name: web}", "merge: {metadata: {labels: {new: x}}}"),
        override("{kind: AuthPolicy, name: web}", "merge: {metadata: {labels: {new: x}}}"),
        override("{kind: AuthPolicy, name: web}", IDLE, more=", optional: true"),
    )
    idle = [result.field for result in found.results if result.code == "SR1607"]
    assert idle == ["spec.overrides[0]", "spec.overrides[2]"]


def test_an_override_can_keep_an_object_from_spokes() -> None:
    cart = override("{kind: AuthPolicy, name: cart}", "remove: true", "{names: [us]}")
    found = overridden(cart, override("{kind: AuthPolicy}", "merge: {spec: {mark: x}}"))
    assert told(found.results) == []
    on = [spoke for spoke in ("eu", "us") if "AuthPolicy shop/cart" in objects(found, spoke)]
    assert on == ["eu"]
    outcomes = found.bundles["us"].blueprint.outcomes
    assert [outcome.reason for outcome in outcomes if outcome.is_removed] == [
        "the override at placement.yaml:11 removes it"
    ]


@cases(*rows_of(__file__, "a_removal_of_what_is_not_there_or_guards_is_told"))
def test_a_removal_of_what_is_not_there_or_guards_is_told(
    target: str, more: str, expected: list[str]
) -> None:
    change = override(f"{{kind: AuthPolicy, {target}}}", "remove: true", more=more)
    assert [line.split()[0] for line in told(overridden(change).results)] == expected


@cases(*rows_of(__file__, "an_expression_may_stand_for_a_kind"))
def test_an_expression_may_stand_for_a_kind(patch: object, expected: bool) -> None:
    """Then a slot may be compared with texts of rows that no text of the hub names."""
    target, is_merge = OverrideSelector("AuthPolicy"), isinstance(patch, dict)
    written = Override(1, SpokeSelector(), lambda *_: Origin("p"), "", target, patch, is_merge)
    assert may_set_kind(written) is expected
