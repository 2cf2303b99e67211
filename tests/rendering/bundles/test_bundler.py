"""Bundles: spokes that are alike are one case, and no spoke knows of another."""

import pytest

from spokerender.model import Spoke
from spokerender.rendering.bundles.bundler import Bundler
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from tests.support import cases, each, rows_of
from tests.support.stages import CLASS, GATEWAY, auth, gateway, objects, render
from tests.support.traps import read


def blueprints(found: Rendered) -> int:
    return len({id(bundle.blueprint) for bundle in found.bundles.values()})


def many(count: int) -> str:
    return "".join(
        f"- {{name: s{n}, values: {{domain: d{n}.example, ns: ns-{n}, x: {n + 1}}}}}\n"
        for n in range(count)
    )


WEB = "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: %s}"
GATEWAYS = (CLASS, gateway("web"), gateway("api"), auth("web", "kind: Gateway, name: web"))


def errors(found: Rendered) -> list[tuple[str, tuple[str, ...]]]:
    return [(r.code, r.spokes) for r in found.results if r.severity == "error"]


def test_spokes_that_differ_in_values_only_are_one_case() -> None:
    as_ = "{namespace: '{{ spoke.values.ns }}', hostnames: {'*.a': '*.{{ spoke.values.domain }}'}}"
    override = (
        "- {target: {kind: AuthPolicy}, spokes: {all: true}, "
        "merge: {spec: {x: '{{ spoke.values.x }}'}}}"
    )
    found = render(GATEWAYS, WEB % as_, spokes=many(5), overrides=override)
    assert blueprints(found) == 1
    assert [
        [name, objects(found, name)[f"AuthPolicy ns-{n}/web"]["spec"]["x"]]
        for n, name in enumerate(found.bundles)
    ] == [[f"s{n}", n + 1] for n in range(5)]


def test_spokes_that_differ_in_their_crds_only_are_one_case() -> None:
    spokes = "- {name: a, gatewayAPI: {bundle: v1.4.1, channel: standard}}\n- {name: b}\n"
    assert blueprints(render(GATEWAYS, WEB % "{}", spokes=spokes)) == 1


def test_spokes_that_differ_in_what_is_placed_are_two_cases() -> None:
    rules = WEB % "{}" + "\n- {gateways: {names: [infra/api]}, spokes: {names: [s3]}}"
    found = render(GATEWAYS, rules, spokes=many(5))
    assert blueprints(found) == 2
    assert "Gateway infra/api" in objects(found, "s3")
    assert "Gateway infra/api" not in objects(found, "s2")


@each(*rows_of(__file__, "what_a_rule_spells_out_is_the_same_on_every_spoke"))
def test_what_a_rule_spells_out_is_the_same_on_every_spoke(as_: str) -> None:
    found = render([*GATEWAYS[:1], GATEWAY, *GATEWAYS[2:]], WEB % as_)
    assert blueprints(found) == 1
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
    assert errors(found) == [("SR1511", ("a",)), ("SR1507", ("a",))]


def test_what_an_override_makes_is_checked_as_it_is_on_each_spoke() -> None:
    found = render(
        GATEWAYS,
        overrides="- {target: {kind: Gateway}, spokes: {all: true}, "
        "merge: {spec: {gatewayClassName: '{{ spoke.values.x }}'}}}",
        spokes="- {name: a, values: {x: hub}}\n- {name: b, values: {x: istio}}",
    )
    assert errors(found) == [("SR1306", ("a",))]


def test_what_two_overrides_carry_is_checked_as_well() -> None:
    """The one brings a value that is not looked at, the other copies it to where it is."""
    found = render(
        GATEWAYS,
        overrides="- {target: {kind: Gateway}, spokes: {all: true}, "
        "merge: {metadata: {annotations: {c: '{{ spoke.values.x }}'}}}}\n"
        "- {target: {kind: Gateway}, spokes: {all: true}, "
        "patch: [{op: copy, from: /metadata/annotations/c, path: /spec/gatewayClassName}]}",
        spokes="- {name: a, values: {x: hub}}\n- {name: b, values: {x: istio}}",
    )
    assert errors(found) == [("SR1306", ("a",))]


def test_an_expression_that_fails_on_one_spoke_is_nothing_to_the_others() -> None:
    found = render(
        GATEWAYS,
        overrides="- {target: {kind: AuthPolicy}, spokes: {all: true}, "
        "merge: {spec: {x: '{{ spoke.values.x }}'}}}",
        spokes="- {name: a}\n- {name: b, values: {x: 5}}",
    )
    assert errors(found) == [("SR1406", ("a",))]
    assert objects(found, "b")["AuthPolicy infra/web"]["spec"]["x"] == 5


def test_a_spoke_is_written_as_it_was_whatever_its_neighbour_gets() -> None:
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


@each("\U00100000", "a\U00100001b", "\U00104e20", "\U0010ffff")
@each("hub", "rule", "override", "spoke")
def test_characters_for_private_use_are_like_any_other(place: str, odd: str) -> None:
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


@cases(("labels", 1), ("annotations", 2))
def test_a_kind_of_a_group_that_the_hub_does_not_name(field: str, expected: int) -> None:
    """An annotation may name a kind, which is compared with rows; a label's value is not."""
    kinds = {"a": "AgentgatewayModel", "b": "GCPBackendPolicy"}
    spokes = "".join(f"- {{name: {name}, values: {{x: {kind}}}}}\n" for name, kind in kinds.items())
    as_ = f"{{{field}: {{a: '{{{{ spoke.values.x }}}}'}}}}"
    assert blueprints(render(GATEWAYS, WEB % as_, spokes=spokes)) == expected


@cases(*rows_of(__file__, "spokes_that_are_refused_alike_are_one_finding_at_the_cost_of_a_few"))
def test_spokes_that_are_refused_alike_are_one_finding_at_the_cost_of_a_few(
    patch: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each spoke's gateway has names of its own, so that none shares its real objects."""
    bundled: list[str] = []
    bundle = Bundler.bundle

    def counting(self: Bundler, spoke: Spoke) -> Bundle:
        bundled.append(spoke.name)
        return bundle(self, spoke)

    monkeypatch.setattr(Bundler, "bundle", counting)
    override = f"- {{target: {{kind: AuthPolicy}}, spokes: {{all: true}}, merge: {{{patch}}}}}"
    as_ = "{hostnames: {'*.a': '*.{{ spoke.values.domain }}'}, namespace: '{{ spoke.values.ns }}'}"
    found = render(GATEWAYS, WEB % as_, spokes=many(60), overrides=override)
    (error,) = (result for result in found.results if result.code == "SR1604")
    assert error.message.startswith(expected)
    assert len(error.spokes) == 60
    assert len(bundled) <= 70
