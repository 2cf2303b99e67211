"""The placement file: what it may say and what it may not."""

from collections.abc import Callable

from spokerender.config.placement import Placement
from tests.config.conftest import Problem
from tests.support import cases, each, rows_of, text_of

Load = Callable[[str], Placement]
Problems = Callable[[str], list[Problem]]


def test_the_placement_of_the_design(placement: Load) -> None:
    spec = placement(text_of(__file__, "placement.yaml")).spec
    assert spec.model_dump(exclude_unset=True) == {
        "spokes": (
            {
                "name": "eu-west-1",
                "labels": {"region": "eu", "tier": "prod"},
                "values": {"domain": "eu.shop.example.com", "geo": "GEO-EU", "weight": 120},
            },
        ),
        "rules": (
            {
                "gateways": {"names": ("gateways/public",)},
                "spokes": {"selector": {"match_labels": {"tier": "prod"}}},
                "as_": {
                    "namespace": "ingress",
                    "gateway_class_name": "istio",
                    "hostnames": {"*.shop.example.com": "*.{{ spoke.values.domain }}"},
                },
            },
        ),
        "overrides": (
            {
                "target": {"kind": "DNSPolicy", "name": "public-dns"},
                "spokes": {"all": True},
                "merge": {"spec": {"loadBalancing": {"weight": "{{ spoke.values.weight }}"}}},
            },
            {
                "target": {"kind": "AuthPolicy"},
                "spokes": {"names": ("eu-west-1",)},
                "patch": (
                    {"op": "move", "from_": "/spec/a", "path": "/spec/b"},
                    {"op": "test", "path": "/a", "value": None},
                ),
            },
        ),
    }


def test_an_operation_is_written_back_as_the_rfc_spells_it(placement: Load) -> None:
    spec = placement(
        """\
        spec:
          overrides:
            - target: {kind: AuthPolicy}
              spokes: {all: true}
              patch: [{op: move, from: /spec/a, path: /spec/b}, {op: test, path: /a, value: null}]
        """
    ).spec
    operations = spec.overrides[0].patch or ()
    assert [each.model_dump(by_alias=True, exclude_unset=True) for each in operations] == [
        {"op": "move", "from": "/spec/a", "path": "/spec/b"},
        {"op": "test", "path": "/a", "value": None},
    ]


def test_what_is_left_out_has_a_default(placement: Load) -> None:
    rule = placement(
        """\
        spec: {rules: [{gateways: {names: [a/b]}, spokes: {all: true}}]}
        """
    ).spec.rules[0]
    assert (rule.mode, rule.routes, rule.optional) == ("create", "stay", False)
    assert rule.as_.model_dump() == {
        "name": None,
        "namespace": None,
        "gateway_class_name": None,
        "naming": None,
        "hostnames": {},
        "listeners": (),
        "allowed_routes": None,
        "labels": {},
        "annotations": {},
    }


def test_null_removes_a_label(placement: Load) -> None:
    rule = placement(
        """\
        spec: {rules: [{gateways: {names: [a/b]}, spokes: {all: true}, as: {labels: {a: null}}}]}
        """
    ).spec.rules[0]
    assert rule.as_.labels == {"a": None}


def test_listeners_keep_whatever_they_hold(placement: Load) -> None:
    rule = placement(
        """\
        spec:
          rules:
            - gateways: {names: [a/b]}
              spokes: {all: true}
              as: {listeners: [{name: web, tls: {mode: Terminate}}, {name: tcp, port: 1}]}
        """
    ).spec.rules[0]
    assert rule.as_.listeners == (
        {"name": "web", "tls": {"mode": "Terminate"}},
        {"name": "tcp", "port": 1},
    )


@each("EU", "a/b", "..", "_fleet", "a.b", "-a", "a-", "", "a" * 64)
def test_a_spokes_name_is_a_dns_label(name: str, placement_problems: Problems) -> None:
    (problem,) = placement_problems(f"spec: {{spokes: [{{name: '{name}'}}]}}")
    assert problem[0] == "spec.spokes[0].name"


def rule_problems(rule: str, problems: Problems) -> list[tuple[str, str, str]]:
    found = problems(f"spec: {{rules: [{rule}]}}\n")
    return [
        (field.removeprefix("spec.rules[0]."), message, cure) for field, _, message, cure in found
    ]


@cases(*rows_of(__file__, "a_rule_that_is_wrong"))
def test_a_rule_that_is_wrong(
    rule: str, field: str, message: str, cure: str, placement_problems: Problems
) -> None:
    assert rule_problems(f"{{{rule}}}", placement_problems) == [(field, message, cure)]


@cases(*rows_of(__file__, "a_rule_that_places_a_gateway_wrongly"))
def test_a_rule_that_places_a_gateway_wrongly(
    more: str, field: str, message: str, cure: str, placement_problems: Problems
) -> None:
    rule = f"{{gateways: {{names: [a/b]}}, spokes: {{all: true}}, {more}}}"
    assert rule_problems(rule, placement_problems) == [(field, message, cure)]


@each("name: a", "namespace: a", "naming: hub", "hostnames: {a: b}", "labels: {a: b, c: null}")
def test_an_existing_gateway_may_be_found_elsewhere(key: str, placement: Load) -> None:
    rule = f"{{gateways: {{names: [a/b]}}, spokes: {{all: true}}, mode: existing, as: {{{key}}}}}"
    assert placement(f"spec: {{rules: [{rule}]}}").spec.rules[0].mode == "existing"


@cases(*rows_of(__file__, "an_override_that_is_wrong"))
def test_an_override_that_is_wrong(
    change: str, field: str, message: str, placement_problems: Problems
) -> None:
    override = f"{{target: {{kind: AuthPolicy}}, spokes: {{all: true}}, {change}}}"
    (problem,) = placement_problems(f"spec: {{overrides: [{override}]}}\n")
    assert problem[0].removeprefix("spec.overrides[0]").removeprefix(".") == field
    assert problem[2] == message


IN_A_KEY = (
    "a key can't hold an expression, only a value can",
    "spell the key out; where it differs, write an override for each",
)


@cases(*rows_of(__file__, "a_key_holds_no_expression"))
def test_a_key_holds_no_expression(
    section: str, entry: str, field: str, placement_problems: Problems
) -> None:
    text = f"spec:\n  {section}:\n  - {{spokes: {{all: true}}, {entry}}}\n"
    ((where, _, *words),) = placement_problems(text)
    assert (where, tuple(words)) == (f"spec.{section}[0].{field}", IN_A_KEY)


@each("hostnames", "labels", "annotations")
def test_names_in_keys_hold_no_expression_either(where: str, placement_problems: Problems) -> None:
    rule = f"gateways: {{names: [a/b]}}, as: {{{where}: {{'{{{{ spoke.name }}}}': x}}}}"
    (problem,) = placement_problems(f"spec: {{rules: [{{spokes: {{all: true}}, {rule}}}]}}")
    assert problem[0] == f"spec.rules[0].as.{where}[{{{{ spoke.name }}}}]"


def test_an_overrides_target_has_a_kind_and_no_empty_selector(placement_problems: Problems) -> None:
    problems = placement_problems(
        """\
        spec:
          overrides:
            - {target: {}, spokes: {all: true}, merge: {a: 1}}
            - {target: {kind: AuthPolicy, selector: {}}, spokes: {all: true}, merge: {a: 1}}
        """
    )
    assert [(field, message) for field, _, message, _ in problems] == [
        ("spec.overrides[0].target.kind", 'the key "kind" is missing'),
        ("spec.overrides[1].target.selector", "an empty selector would select everything"),
    ]


def test_every_problem_is_told_at_once_with_its_line(placement_problems: Problems) -> None:
    assert placement_problems(text_of(__file__, "placement_defaults.yaml")) == [
        ("spec.spokes[0].lables", 4, 'unknown key "lables"', 'did you mean "labels"?'),
        (
            "spec.spokes[1].labels.a",
            7,
            "must be a string, but is the number 1",
            "write it in quotes",
        ),
        (
            "spec.spokes[1].labels[b c]",
            8,
            'must be a label key such as region or example.com/region; it is the text "b c"',
            'did you mean "b-c"?',
        ),
        ("spec.rules[0].spokes.selectr", 11, 'unknown key "selectr"', 'did you mean "selector"?'),
        ("spec.rules[0].as.listeners[1]", 15, "a listener requires a name", "add name: …"),
        ("status", 16, 'unknown key "status"', "known keys are apiVersion, kind, metadata, spec"),
    ]


@each("v1.4.1", "v1.5.0-rc.1", "v0.8.0-dev")
def test_a_spoke_may_say_which_release_of_the_gateway_api_it_has(
    bundle: str, placement: Load
) -> None:
    (spoke,) = placement(
        f"spec: {{spokes: [{{name: eu, gatewayAPI: {{bundle: {bundle}}}}}]}}"
    ).spec.spokes
    assert (spoke.gateway_api.bundle, spoke.gateway_api.channel) == (bundle, None)


@cases(*rows_of(__file__, "what_is_no_release_or_channel"))
def test_what_is_no_release_or_channel(
    installed: str, field: str, message: str, placement_problems: Problems
) -> None:
    (problem,) = placement_problems(
        f"spec: {{spokes: [{{name: eu, gatewayAPI: {{{installed}}}}}]}}"
    )
    assert problem[:3] == (f"spec.spokes[0].gatewayAPI.{field}", 1, message)


@cases(*rows_of(__file__, "whose_routes_its_listeners_take"))
def test_whose_routes_its_listeners_take(
    namespaces: str, expected: str | None, placement_problems: Problems
) -> None:
    rule = (
        "{gateways: {names: [a/b]}, spokes: {all: true}, "
        f"as: {{allowedRoutes: {{namespaces: {namespaces}}}}}}}"
    )
    found = rule_problems(rule, placement_problems) if expected else []
    assert [field for field, _, _ in found] == (
        [f"as.allowedRoutes.{expected}"] if expected else []
    )
