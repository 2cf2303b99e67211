"""What the platform team may write into the placement: spokes times what is said of them."""

# ruff: noqa: E501, UP031, ARG005  (texts of YAML with braces of their own, each on one line)

from __future__ import annotations

from benchmarks.hostile.shape import (
    EVERYWHERE,
    HEAD,
    RULES,
    SPOKES,
    Files,
    gateway,
    listed,
    plain_routes,
    project,
    route,
    shapes,
)


def _named(count: int, more: str = "") -> str:
    return "  spokes: [" + listed(count, lambda i: f"{{name: s{i}{more}}}") + "]\n"


def _rule(more: str) -> str:
    """The Gateway on all spokes, and what the rule says besides."""
    return f"  rules: [{{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, {more}}}]\n"


def _placed(text: str, hub: str = "") -> Files:
    return project(placement=HEAD + text, hub=hub)


def spokes_and_overrides(n: int) -> Files:
    """Overrides for all spokes, each with an expression of the spoke."""
    half = max(1, n // 2)
    patch = "patch: [{op: add, path: /spec/x%d, value: '{{ spoke.name }}'}]"
    each = listed(
        half,
        lambda i: f"  - {{target: {{kind: Gateway}}, spokes: {{all: true}}, {patch % i}}}\n",
        "",
    )
    return _placed(_named(half) + RULES + "  overrides:\n" + each)


def spokes_and_merges(n: int) -> Files:
    """The same, merged and without expressions."""
    half = max(1, n // 2)
    each = listed(
        half,
        lambda i: (
            f"  - {{target: {{kind: Gateway}}, spokes: {{all: true}}, merge: {{spec: {{x{i}: 1}}}}}}\n"
        ),
        "",
    )
    return _placed(_named(half) + RULES + "  overrides:\n" + each)


def spokes_one_by_one(n: int) -> Files:
    """An override for each spoke alone: all are different."""
    each = listed(
        n,
        lambda i: (
            f"  - {{target: {{kind: Gateway}}, spokes: {{names: [s{i}]}}, merge: {{spec: {{x{i}: 1}}}}}}\n"
        ),
        "",
    )
    return _placed(_named(n) + RULES + "  overrides:\n" + each)


def overrides_of_all_objects(n: int) -> Files:
    """Overrides of every route, and routes."""
    half = max(1, n // 2)
    each = listed(
        half,
        lambda i: (
            f"  - {{target: {{kind: HTTPRoute}}, spokes: {{all: true}}, merge: {{spec: {{x{i}: 1}}}}}}\n"
        ),
        "",
    )
    return _placed(SPOKES + RULES + "  overrides:\n" + each, plain_routes(half))


def overrides_by_labels(n: int) -> Files:
    """Overrides whose selectors look at every route."""
    half = max(1, n // 2)
    each = listed(
        half,
        lambda i: (
            f"  - {{target: {{kind: HTTPRoute, selector: {{matchLabels: {{l: v{i}}}}}}}, spokes: {{all: true}}, optional: true, merge: {{spec: {{x{i}: 1}}}}}}\n"
        ),
        "",
    )
    return _placed(SPOKES + RULES + "  overrides:\n" + each, plain_routes(half))


def operations_of_one_patch(n: int) -> Files:
    """A patch of thousands of operations, with a list that grows in front."""
    each = listed(n, lambda i: f"{{op: add, path: /spec/listeners/0, value: {{name: a{i}}}}}")
    return _placed(
        SPOKES
        + RULES
        + "  overrides: [{target: {kind: Gateway}, spokes: {all: true}, patch: [%s]}]\n" % each
    )


def operations_and_routes(n: int) -> Files:
    """A patch of many operations for many routes."""
    half = max(1, n // 2)
    each = listed(half, lambda i: f"{{op: add, path: /spec/a{i}, value: 1}}")
    return _placed(
        SPOKES
        + RULES
        + "  overrides: [{target: {kind: HTTPRoute}, spokes: {all: true}, patch: [%s]}]\n" % each,
        plain_routes(half),
    )


def spokes_and_rules(n: int) -> Files:
    """Rules for all spokes, each of a Gateway of its own."""
    half = max(1, n // 2)
    rules = listed(half, lambda i: f"{{gateways: {{names: [infra/g{i}]}}, spokes: {{all: true}}}}")
    return _placed(
        _named(half) + f"  rules: [{EVERYWHERE}, {rules}]\n",
        listed(half, lambda i: gateway(f"g{i}"), ""),
    )


def rules_by_labels(n: int) -> Files:
    """Selectors of spokes with labels, and of Gateways with labels."""
    half = max(1, n // 2)
    rules = listed(
        half,
        lambda i: (
            f"{{gateways: {{selector: {{matchLabels: {{l: v{i}}}}}}}, spokes: {{selector: {{matchLabels: {{l: v{i}}}}}}}, optional: true}}"
        ),
    )
    return _placed(
        _named(half, ", labels: {l: x}") + f"  rules: [{EVERYWHERE}, {rules}]\n",
        listed(half, lambda i: gateway(f"g{i}"), ""),
    )


def rules_of_one_gateway(n: int) -> Files:
    """Rules that place one Gateway on the same spokes again and again."""
    half = max(1, n // 2)
    return _placed(_named(half) + f"  rules: [{listed(half, lambda i: EVERYWHERE)}]\n")


def names_and_exceptions(n: int) -> Files:
    """All spokes but for most of them, rule after rule."""
    third = max(1, n // 3)
    rules = listed(
        20,
        lambda _: (
            "{gateways: {names: [infra/web]}, spokes: {all: true, except: [%s]}}"
            % listed(third, lambda i: f"s{i}")
        ),
    )
    return _placed(_named(third) + f"  rules: [{rules}]\n")


def values_of_spokes(n: int) -> Files:
    """Spokes with values of their own, and expressions over each."""
    half = max(1, n // 2)
    each = listed(half, lambda i: f"a{i}/b: '{{{{ spoke.values.v }}}}-{i}'")
    return _placed(
        "  spokes: ["
        + listed(half, lambda i: f"{{name: s{i}, values: {{v: x{i}}}}}")
        + "]\n"
        + _rule(f"as: {{annotations: {{{each}}}}}")
    )


def shared_values(n: int) -> Files:
    """A large value by an anchor on each spoke."""
    half = max(1, n // 2)
    many = "{" + listed(half, lambda i: f"k{i}: v{i}") + "}"
    return _placed(
        "  spokes: ["
        + listed(
            half, lambda i: f"{{name: s{i}, values: " + ("&v " + many if not i else "*v") + "}"
        )
        + "]\n"
        + RULES
    )


def _mapped(third: int, becomes: str) -> Files:
    """Routes, each with a hostname that becomes another one; `%d` is its number."""
    names = listed(third, lambda i: f"h{i}.example.com: {becomes % i}")
    routes = listed(third, lambda i: route(f"r{i}", f", hostnames: [h{i}.example.com]"), "")
    return _placed(_named(third) + _rule(f"as: {{hostnames: {{{names}}}}}"), routes)


def hostname_maps(n: int) -> Files:
    """Hostnames to others, for all spokes and routes."""
    return _mapped(max(1, n // 3), "h%d.example.org")


def hostname_expressions(n: int) -> Files:
    """Hostnames that are other ones on every spoke."""
    return _mapped(max(1, n // 3), "'h%d.{{ spoke.name }}.org'")


def spokes_and_objects(n: int) -> Files:
    """Half the bytes are spokes, half are routes."""
    half = max(1, n // 6)
    return _placed(_named(n - half) + RULES, plain_routes(half))


def moving_gateways(n: int) -> Files:
    """Spokes on which the Gateway is called otherwise, and routes that follow."""
    half = max(1, n // 3)
    return _placed(
        _named(half)
        + _rule(
            "routes: follow, as: {name: 'w-{{ spoke.name }}', namespace: 'n-{{ spoke.name }}'}"
        ),
        plain_routes(half),
    )


def different_spokes(n: int) -> Files:
    """Spokes in halves by expressions with conditions: each its own blueprint."""
    half = max(1, n // 2)
    each = listed(8, lambda i: f'a{i}/b: \'{{{{ "x" if spoke.name > "s{i * 10}" else "" }}}}\'')
    return _placed(
        _named(half) + _rule(f"as: {{annotations: {{{each}}}}}"),
        plain_routes(half // 4),
    )


def namespaces_of_spokes(n: int) -> Files:
    """Labels of namespaces, of all and of each spoke."""
    half = max(1, n // 2)
    many = listed(half, lambda i: f"n{i}: {{a: b}}")
    return _placed(
        _named(half, ", namespaces: {x: {a: b}}") + f"  namespaces: {{{many}}}\n" + RULES
    )


def long_expression(n: int) -> Files:
    """One expression that takes the whole file."""
    text = " ~ ".join(["spoke.name"] * n)
    return _placed(SPOKES + _rule(f"as: {{annotations: {{a/b: '{{{{ {text} }}}}'}}}}"))


def many_expressions(n: int) -> Files:
    """Distinct expressions on one spoke."""
    each = listed(n, lambda i: f"a{i}/b: '{{{{ spoke.name ~ {i} }}}}'")
    return _placed(SPOKES + _rule(f"as: {{annotations: {{{each}}}}}"))


def expressions_of_routes(n: int) -> Files:
    """An expression that does much, for each route and spoke."""
    half = max(1, n // 3)
    return _placed(
        _named(half)
        + RULES
        + "  overrides: [{target: {kind: HTTPRoute}, spokes: {all: true}, merge: {metadata: {annotations: {a/b: '{{ spoke.name ~ policy.name }}'}}}}]\n",
        plain_routes(half),
    )


def deep_merge(n: int) -> Files:
    """A merge patch as deep as it goes."""
    return _placed(
        SPOKES
        + RULES
        + "  overrides: [{target: {kind: Gateway}, spokes: {all: true}, merge: "
        + "{a: " * n
        + "1"
        + "}" * n
        + "}]\n"
    )


def wide_listeners(n: int) -> Files:
    """Listeners of rules, on spokes."""
    many = listed(
        60,
        lambda i: (
            f"{{name: l{i}, port: {i + 1000}, protocol: HTTP, hostname: 'l{i}.{{{{ spoke.name }}}}.com'}}"
        ),
    )
    return _placed(_named(n) + _rule(f"as: {{listeners: [{many}]}}"))


SHAPES = shapes(
    "placement",
    spokes_and_overrides,
    spokes_and_merges,
    spokes_one_by_one,
    overrides_of_all_objects,
    overrides_by_labels,
    operations_of_one_patch,
    operations_and_routes,
    spokes_and_rules,
    rules_by_labels,
    rules_of_one_gateway,
    names_and_exceptions,
    values_of_spokes,
    shared_values,
    hostname_maps,
    hostname_expressions,
    spokes_and_objects,
    moving_gateways,
    different_spokes,
    namespaces_of_spokes,
    long_expression,
    many_expressions,
    expressions_of_routes,
    deep_merge,
    wide_listeners,
)
