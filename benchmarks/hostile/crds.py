"""CRDs: schemas, patterns and rules, and the objects that they are asked of."""

# ruff: noqa: E501, ARG005  (texts of YAML with braces of their own, each on one line)

from __future__ import annotations

from benchmarks.hostile.shape import FLEET, SYNCED, Files, listed, project, shapes, targeting

_HEAD = """\
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: limitpolicies%s.policies.example.com, labels: {gateway.networking.k8s.io/policy: Direct}}
spec:
  group: policies.example.com
  scope: Namespaced
  names: {kind: LimitPolicy%s, plural: limitpolicies%s}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: %s}}}
"""
_OBJECT = """\
---
apiVersion: policies.example.com/v1
kind: LimitPolicy
metadata: {name: p%d, namespace: infra}
spec: {targetRef: %s%s}
"""
_TARGET = targeting("Gateway", "web")
_REF = "targetRef: {type: object, x-kubernetes-preserve-unknown-fields: true}"


def _spec(more: str, rules: str = "") -> str:
    return f"{{type: object, properties: {{{_REF}, {more}}}{rules}}}"


def _project(schema: str, *objects: str) -> Files:
    return project(
        fleet=f"{FLEET}spec:\n  hub: [hub, crds]\n  crds: [crds]\n  policiesToSync: [{SYNCED}, {{group: policies.example.com, kind: LimitPolicy}}]\n",
        hub="".join(_OBJECT % (i, _TARGET, more) for i, more in enumerate(objects)),
        **{"crds/limits.yaml": _HEAD % ("", "", "", schema)},
    )


def patterns_and_items(n: int) -> Files:
    """A pattern, and a list of texts."""
    items = listed(n, lambda i: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")
    return _project(
        _spec('items: {type: array, items: {type: string, pattern: "^(a|aa)+$"}}'),
        f", items: [{items}]",
    )


def repeated_pattern(n: int) -> Files:
    """A pattern that repeats, and one long text."""
    return _project(_spec('a: {type: string, pattern: "^(a{1,100}){1,100}$"}'), f", a: '{'a' * n}'")


def many_patterns(n: int) -> Files:
    """Fields, each with a pattern of its own."""
    half = max(1, n // 2)
    fields = listed(
        half, lambda i: f'a{i}: {{type: string, pattern: "^[a-z]{{1,{i % 900 + 1}}}$"}}'
    )
    return _project(_spec(fields), ", " + listed(half, lambda i: f"a{i}: b"))


def rules_and_items(n: int) -> Files:
    """CEL rules of items, and items."""
    half = max(1, n // 2)
    rules = listed(half, lambda i: f'{{rule: "self.size() != {i + 100}"}}')
    items = listed(half, lambda i: "a")
    return _project(
        _spec(
            f"items: {{type: array, maxItems: 10000, items: {{type: string, x-kubernetes-validations: [{rules}]}}}}"
        ),
        f", items: [{items}]",
    )


def rule_over_items(n: int) -> Files:
    """One rule that compares all with all."""
    items = listed(n, lambda i: f"a{i}")
    return _project(
        _spec(
            "items: {type: array, items: {type: string}}",
            ', x-kubernetes-validations: [{rule: "self.items.all(a, self.items.all(b, a == b || a != b))"}]',
        ),
        f", items: [{items}]",
    )


def many_rules(n: int) -> Files:
    """Rules of one object, all different, each a loop."""
    rules = listed(
        n // 2 + 1,
        lambda i: f'{{rule: "self.items.all(a, self.items.exists(b, a != b || {i} == {i}))"}}',
    )
    items = listed(min(100, n), lambda i: f"a{i}")
    return _project(
        _spec(
            "items: {type: array, items: {type: string}}", f", x-kubernetes-validations: [{rules}]"
        ),
        f", items: [{items}]",
    )


def rules_and_objects(n: int) -> Files:
    """Rules of an object, and objects."""
    half = max(1, n // 2)
    rules = listed(half, lambda i: f'{{rule: "self.a != {i + 5}"}}')
    return _project(
        _spec("a: {type: integer}", f", x-kubernetes-validations: [{rules}]"), *[", a: 1"] * half
    )


def deep_schema(n: int) -> Files:
    """A schema as deep as it goes."""
    return _project(
        _spec("a: " + "{type: object, properties: {a: " * n + "{type: string}" + "}}" * n),
        ", a: {}",
    )


def wide_schema(n: int) -> Files:
    """Fields of a schema, and objects."""
    half = max(1, n // 2)
    fields = listed(half, lambda i: f"a{i}: {{type: string, default: x}}")
    return _project(_spec(fields), *[""] * (half // 4 + 1))


def alternatives(n: int) -> Files:
    """OneOf with many branches, and items."""
    half = max(1, n // 2)
    branches = listed(half, lambda i: f"{{required: [a{i}]}}")
    items = listed(half, lambda i: "{a1: b}")
    return _project(
        _spec(
            f"items: {{type: array, items: {{type: object, x-kubernetes-preserve-unknown-fields: true, oneOf: [{branches}]}}}}"
        ),
        f", items: [{items}]",
    )


def nested_alternatives(n: int) -> Files:
    """AnyOf in anyOf."""
    inner = "{type: object}"
    for _ in range(min(n, 12)):
        inner = f"{{anyOf: [{inner}, {inner}]}}" if len(inner) < 40 * n else f"{{anyOf: [{inner}]}}"
    return _project(
        _spec(f"a: {{type: object, x-kubernetes-preserve-unknown-fields: true, anyOf: [{inner}]}}"),
        ", a: {b: " + "1" * n + "}",
    )


def enumerations(n: int) -> Files:
    """A long enumeration, and items."""
    half = max(1, n // 2)
    values = listed(half, lambda i: f"v{i}")
    items = listed(half, lambda i: "v0x")
    return _project(
        _spec(f"items: {{type: array, items: {{type: string, enum: [{values}]}}}}"),
        f", items: [{items}]",
    )


def list_maps(n: int) -> Files:
    """Items with many keys."""
    half = max(1, n // 2)
    keys = listed(20, lambda i: f"k{i}")
    fields = listed(20, lambda i: f"k{i}: {{type: string}}")
    items = listed(half, lambda i: f"{{k0: v{i}}}")
    return _project(
        _spec(
            f"items: {{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [{keys}], items: {{type: object, required: [{keys}], properties: {{{fields}}}}}}}"
        ),
        f", items: [{items}]",
    )


def sets(n: int) -> Files:
    """A set of mappings."""
    items = listed(n, lambda i: f"{{a: {i}}}")
    return _project(
        _spec(
            "items: {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: integer}}}}"
        ),
        f", items: [{items}]",
    )


def unknown_fields(n: int) -> Files:
    """Fields that no schema has."""
    half = max(1, n // 2)
    fields = listed(half, lambda i: f"name{i}: {{type: string}}")
    return _project(_spec(fields), ", " + listed(half, lambda i: f"nmae{i}: b"))


def many_crds(n: int) -> Files:
    """CRDs that nobody asks for."""
    files = dict(_project(_spec("a: {type: string}"), ", a: b"))
    files["crds/limits.yaml"] += "".join(_HEAD % (i, i, i, "{type: object}") for i in range(n))
    return files


def hub_crds(n: int) -> Files:
    """CRDs in the hub, each with an object."""
    head = "".join(
        _HEAD % (i, i, i, "{type: object, x-kubernetes-preserve-unknown-fields: true}")
        for i in range(n)
    )
    objects = "".join(
        (_OBJECT % (i, _TARGET, "")).replace("kind: LimitPolicy", f"kind: LimitPolicy{i}")
        for i in range(n)
    )
    return project(hub=head + objects)


def versions(n: int) -> Files:
    """Versions of one CRD."""
    one = listed(
        n,
        lambda i: (
            f"  - {{name: v{i + 2}, served: true, storage: false, schema: {{openAPIV3Schema: {{type: object}}}}}}\n"
        ),
        "",
    )
    files = dict(_project(_spec("a: {type: string}"), ", a: b"))
    files["crds/limits.yaml"] += one
    return files


def wrong_items(n: int) -> Files:
    """Items that are all wrong."""
    return _project(
        _spec("items: {type: array, items: {type: integer, minimum: 5}}"),
        f", items: [{listed(n, lambda i: 'a')}]",
    )


def failing_rules(n: int) -> Files:
    """Rules that all fail, with messages."""
    half = max(1, n // 2)
    rules = listed(
        half,
        lambda i: (
            f'{{rule: "false && self.a == {i}", messageExpression: "\'no \' + string(self.a)"}}'
        ),
    )
    return _project(
        _spec("a: {type: integer}", f", x-kubernetes-validations: [{rules}]"),
        *[", a: 1"] * (half // 4 + 1),
    )


def labels(n: int) -> Files:
    """A schema of maps, and keys."""
    return _project(
        _spec(
            "a: {type: object, additionalProperties: {type: object, additionalProperties: {type: string, maxLength: 1}}}"
        ),
        ", a: {" + listed(n, lambda i: f"k{i}: {{a: bb}}") + "}",
    )


SHAPES = shapes(
    "crds",
    patterns_and_items,
    repeated_pattern,
    many_patterns,
    rules_and_items,
    rule_over_items,
    many_rules,
    rules_and_objects,
    deep_schema,
    wide_schema,
    alternatives,
    nested_alternatives,
    enumerations,
    list_maps,
    sets,
    unknown_fields,
    many_crds,
    hub_crds,
    versions,
    wrong_items,
    failing_rules,
    labels,
)
