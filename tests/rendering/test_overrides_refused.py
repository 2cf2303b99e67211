"""Overrides that are refused: they do not fit, match nothing, or change what they may not."""

from spokerender.model import Origin
from tests.support import case, cases, each, manifest, rows_of
from tests.support.overriding import HUB, overridden, override
from tests.support.stages import gateway, render, told


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
            "SR1602 AuthPolicy infra/web spec.overrides[0].patch: operation [1] (test /spec/x): it "
            'is the text "us", not the text "eu" (correct the path, or leave these spokes out of '
            "the override) [us]"
        )
    ]


@cases(*rows_of(__file__, "a_patch_that_does_not_fit_is_an_error"))
def test_a_patch_that_does_not_fit_is_an_error(patch: str, expected: str) -> None:
    found = overridden(override("{kind: AuthPolicy, name: web}", patch))
    assert told(found.results)[:1] == [expected]
    assert found.results[-1].code != "SR1601"


IDENTITY = (
    "an override may not change apiVersion's group, kind, name or namespace (set it in the rule's "
    "`as`, which changes all references to it as well) [eu us]"
)


@each(*rows_of(__file__, "an_identity_cannot_be_changed"))
def test_an_identity_cannot_be_changed(patch: str) -> None:
    found = overridden(override("{kind: AuthPolicy, name: web}", patch))
    assert told(found.results) == [
        f"SR1603 AuthPolicy infra/web spec.overrides[0].{patch[:5]}: {IDENTITY}"
    ]
    assert [result.origin for result in found.results if result.code == "SR1603"] == [
        Origin("placement.yaml", 0, 11)
    ]


@each(*rows_of(__file__, "what_stays_the_same_may_be_said_again"))
def test_what_stays_the_same_may_be_said_again(patch: str) -> None:
    found = overridden(override("{kind: AuthPolicy, name: web}", patch, more=", optional: true"))
    assert told(found.results) == []


REFERENCE = (
    "an override may not change what a reference names (retarget with the rule's `as`; let a "
    "different policy target something else) [eu us]"
)


@cases(*rows_of(__file__, "a_gateway_reference_cannot_be_changed"))
def test_a_gateway_reference_cannot_be_changed(target: str, patch: str, resource: str) -> None:
    found = overridden(override(f"{{kind: {target}}}", patch))
    assert f"SR1603 {resource} spec.overrides[0].{patch[:5]}: {REFERENCE}" in told(
        found.results, "SR1603"
    )


@each(
    case("leaves the reference alone", "merge: {spec: {list: [three]}}"),
    case("puts the reference back", "merge: {spec: {targetRef: {name: web}}}"),
)
def test_only_the_override_that_changes_a_reference_is_told(after: str) -> None:
    guilty = override("{kind: AuthPolicy, name: web}", "merge: {spec: {targetRef: {name: other}}}")
    found = overridden(guilty, override("{kind: AuthPolicy, name: web}", after))
    assert [result.field for result in found.results if result.code == "SR1603"] == [
        "spec.overrides[0].merge"
    ]


def test_each_override_that_changes_a_reference_is_told() -> None:
    names = ("other", "third")
    found = overridden(
        *(
            override(
                "{kind: AuthPolicy, name: web}", f"merge: {{spec: {{targetRef: {{name: {name}}}}}}}"
            )
            for name in names
        )
    )
    assert [result.field for result in found.results if result.code == "SR1603"] == [
        "spec.overrides[0].merge",
        "spec.overrides[1].merge",
    ]


@cases(*rows_of(__file__, "an_override_that_matches_nothing_is_an_error"))
def test_an_override_that_matches_nothing_is_an_error(target: str, named: str) -> None:
    entry = override(target, "merge: {a: b}")
    found = overridden(entry)
    assert told(found.results) == [
        (
            f"SR1601 spec.overrides[0].target: matches nothing: {named} is shipped to its spokes "
            "(correct the target or the spokes, or set `optional: true`)"
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
            "SR1403 spec.overrides[0].spokes.selector: the selector selects no spoke today (no "
            "spoke has region=ap; they have region=eu, region=us; set `optional: true` if that is "
            "intended)"
        )
    ]


@cases(*rows_of(__file__, "every_check_runs_after_the_overrides"))
def test_every_check_runs_after_the_overrides(target: str, patch: str, code: str) -> None:
    assert [r for r in overridden().results if r.severity == "error"] == []
    found = overridden(override(f"{{kind: {target}}}", patch))
    assert code in {result.code for result in found.results}


def test_gateway_is_not_defined_for_a_policy_on_two() -> None:
    both = manifest(
        "SecurityPolicy infra/both",
        "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}, "
        "{group: gateway.networking.k8s.io, kind: Gateway, name: api}]",
    )
    found = render(
        [*HUB, gateway("api"), both],
        "- {gateways: {names: [infra/web, infra/api]}, spokes: {all: true}}",
        overrides=override("{kind: SecurityPolicy}", 'merge: {spec: {x: "{{ gateway.name }}"}}'),
    )
    assert told(found.results) == [
        (
            'SR1406 SecurityPolicy infra/both spec.overrides[0].merge.spec.x: "gateway" is not '
            "defined; there are policy, spoke (correct the expression, or the spoke's labels and "
            "values "
            "that it uses) [eu us]"
        )
    ]
