"""What the owners of a fleet file may write: lists of it times what the hub has."""

# ruff: noqa: E501, UP031  (texts of YAML with braces of their own, each on one line)

from __future__ import annotations

from benchmarks.hostile.shape import (
    API,
    FLEET,
    HEAD,
    RULES,
    SYNCED,
    Files,
    document,
    listed,
    plain_routes,
    project,
    route,
    shapes,
    targeting,
)


def _fleet(text: str, hub: str = "", **files: str) -> Files:
    return project(fleet=f"{FLEET}spec:\n  policiesToSync: [{SYNCED}]\n{text}", hub=hub, **files)


def suppressions(n: int) -> Files:
    """Suppressions of a kind, and objects with findings."""
    half = max(1, n // 2)
    many = listed(
        half,
        lambda i: (
            f"{{code: SR2210, kind: HTTPRoute, selector: {{matchLabels: {{l: v{i}}}}}, reason: r}}"
        ),
    )
    return _fleet(
        f"  suppressions: [{many}]\n",
        listed(
            half,
            lambda i: document(
                "kuadrant.io/v1",
                "AuthPolicy",
                f"p{i}",
                f"{{targetRef: {targeting('HTTPRoute', 'no')}}}",
            ),
            "",
        ),
    )


def deletions(n: int) -> Files:
    """Deletions of objects that nobody has."""
    return _fleet(
        "  deletions: [%s]\n" % listed(n, lambda i: f"{{ref: HTTPRoute/infra/r{i}, reason: r}}")
    )


def external(n: int) -> Files:
    """Objects that spokes have, and routes that name each."""
    half = max(1, n // 2)
    many = listed(
        half, lambda i: f"{{kind: Gateway, namespace: infra, name: g{i}, listeners: [a]}}"
    )
    return _fleet(
        f"  external: [{many}]\n",
        listed(half, lambda i: route(f"r{i}", parents=f"{{name: g{i}}}"), ""),
    )


def policy_kinds(n: int) -> Files:
    """Rows of one's own, with patterns, and a policy of each."""
    third = max(1, n // 3)
    many = listed(
        third,
        lambda i: f"{{group: g{i}.example.com, kind: K{i}, process: gep-713, rules: [a.*, b.*]}}",
    )
    each = listed(
        third,
        lambda i: document(
            f"g{i}.example.com/v1",
            f"K{i}",
            "p",
            f"{{targetRef: {targeting('Gateway', 'web')}, a: {{x: 1}}}}",
        ),
        "",
    )
    return _fleet(f"  policyKinds: [{many}]\n", each)


def rules_of_a_kind(n: int) -> Files:
    """Patterns of a policy's rules, times its fields."""
    half = max(1, n // 2)
    patterns = listed(half, lambda i: f"a{i}.*.b")
    fields = listed(half, lambda i: f"a{i}: {{x: {{b: 1}}}}")
    return _fleet(
        f"  policyKinds: [{{group: e.example.com, kind: K, process: gep-713, rules: [{patterns}]}}]\n",
        document(
            "e.example.com/v1", "K", "p", f"{{targetRef: {targeting('Gateway', 'web')}, {fields}}}"
        ),
    )


def synced_kinds(n: int) -> Files:
    """Kinds to sync that nobody knows."""
    return project(
        fleet=f"{FLEET}spec:\n  policiesToSync: [{listed(n, lambda i: f'{{group: g.example.com, kind: K{i}}}')}]\n"
    )


def assertions(n: int) -> Files:
    """Assertions over every path."""
    half = max(1, n // 2)
    many = listed(
        half,
        lambda i: (
            f"{{name: a{i}, forEach: {{r: routes()}}, that: 'r.metadata.name != \"x{i}\"', message: m}}"
        ),
    )
    return _fleet(f"  assertions: [{many}]\n", plain_routes(half))


def failing_assertions(n: int) -> Files:
    """Assertions that nothing holds."""
    half = max(1, n // 2)
    many = listed(
        half,
        lambda i: (
            f"{{name: a{i}, forEach: {{r: routes()}}, that: 'false', message: 'm ${{r.metadata.name}}'}}"
        ),
    )
    return _fleet(f"  assertions: [{many}]\n", plain_routes(half))


def nested_assertion(n: int) -> Files:
    """One that compares all routes with all routes."""
    many = "{name: a, that: 'routes().all(a, routes().all(b, routes().all(c, a.metadata.name + b.metadata.name != c.metadata.name)))', message: m}"
    return _fleet(f"  assertions: [{many}]\n", plain_routes(n))


def looping_assertions(n: int) -> Files:
    """Many, each with loops in loops."""
    numbers = f"[{listed(20, str)}]"
    that = f"{numbers}.all(a, {numbers}.all(b, {numbers}.all(c, a + b + c >= 0)))"
    many = listed(n, lambda i: f"{{name: a{i}, that: '{that}', message: m}}")
    return _fleet(f"  assertions: [{many}]\n")


def assertion_of_a_list(n: int) -> Files:
    """One that makes a list of a long list, for each of its items."""
    values = f"  spokes: [{{name: one, values: {{l: [{listed(n, str)}]}}}}]\n"
    one = "{name: a, forEach: {i: spoke.values.l}, that: 'spoke.values.l.map(a, a).size() > 0', message: m}"
    return _fleet(f"  assertions: [{one}]\n", placement=HEAD + values + RULES)


def assertions_of_spokes(n: int) -> Files:
    """Assertions on every spoke."""
    half = max(1, n // 2)
    many = listed(half, lambda i: f"{{name: a{i}, that: 'spoke.name != \"x{i}\"', message: m}}")
    spokes = "  spokes: [" + listed(half, lambda i: f"{{name: s{i}}}") + "]\n"
    return _fleet(f"  assertions: [{many}]\n", placement=HEAD + spokes + RULES)


def long_assertion(n: int) -> Files:
    """An expression as long as one may be, and more."""
    many = listed(
        n // 2000 + 1,
        lambda i: f"{{name: a{i}, that: '{' || '.join(['true'] * (n % 2000 + 1))}', message: m}}",
    )
    return _fleet(f"  assertions: [{many}]\n")


def repeated_paths(n: int) -> Files:
    """The hub, named again and again."""
    return _fleet("  hub: [%s]\n" % listed(n, lambda i: "hub/" if i % 2 else "./hub/"))


def repeated_crds(n: int) -> Files:
    """The CRDs, named again and again."""
    return _fleet("  crds: [%s]\n" % listed(n, lambda i: "hub/" if i % 2 else "./hub/"))


def repeated_placements(n: int) -> Files:
    """The placement, named again and again."""
    return _fleet(
        "  placement: [%s]\n"
        % listed(n, lambda i: "placement.yaml" if i % 2 else "./placement.yaml")
    )


def waves(n: int) -> Files:
    """Waves of Argo CD, each of all spokes."""
    half = max(1, n // 2)
    many = listed(half, lambda i: f"{{spokes: {{selector: {{matchLabels: {{l: v{i}}}}}}}}}")
    spokes = "  spokes: [" + listed(half, lambda i: f"{{name: s{i}, labels: {{l: v{i}}}}}") + "]\n"
    return _fleet(
        f"  delivery: {{argocd: {{repoURL: 'https://a.b/c', path: clusters, waves: [{many}]}}}}\n",
        placement=HEAD + spokes + RULES,
    )


def delivered_spokes(n: int) -> Files:
    """Engines, and spokes."""
    spokes = "  spokes: [" + listed(n, lambda i: f"{{name: s{i}, labels: {{l: v{i}}}}}") + "]\n"
    return _fleet(
        "  delivery: {argocd: {repoURL: 'https://a.b/c', path: clusters, kind: Application}, flux: {path: clusters}}\n",
        placement=HEAD + spokes + RULES,
    )


def templates(n: int) -> Files:
    """Templates of one's own, that look at all spokes for each spoke."""
    spokes = "  spokes: [" + listed(n, lambda i: f"{{name: s{i}}}") + "]\n"
    loop = "{% for a in spokes %}{% for b in spokes %}{{ b.name }}{% endfor %}{% endfor %}"
    return _fleet(
        "  templates: own\n  delivery: {flux: {path: clusters}}\n",
        placement=HEAD + spokes + RULES,
        **{"own/flux/kustomizations.yaml.j2": loop},
    )


def long_template(n: int) -> Files:
    """A template of many statements."""
    return _fleet(
        "  templates: own\n  delivery: {flux: {path: clusters}}\n",
        **{"own/flux/kustomizations.yaml.j2": "{% set a = 1 %}" * n},
    )


def nested_template(n: int) -> Files:
    """A template that nests."""
    return _fleet(
        "  templates: own\n  delivery: {flux: {path: clusters}}\n",
        **{"own/flux/kustomizations.yaml.j2": "{% if 1 %}" * n + "{% endif %}" * n},
    )


def many_templates(n: int) -> Files:
    """Many templates that nobody asks for."""
    return _fleet(
        "  templates: own\n  delivery: {flux: {path: clusters}}\n",
        **{f"own/flux/t{i}.j2": "{{ a }}" for i in range(n)},
    )


def unknown_fields(n: int) -> Files:
    """Fields that no fleet file has."""
    return _fleet(listed(n, lambda i: f"  wrong{i}: 1\n", ""))


def _defined(n: int, body: str) -> str:
    return f"""---
apiVersion: spokerender.io/v1alpha1
kind: MetapolicyDefinition
metadata: {{name: p{n}}}
spec: {{for: {{group: m.example.com, kind: M{n}}}, declarative: {body}}}
"""


_CLAIM = "{make: [{object: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${self.metadata.name}', namespace: infra}}}]}"


def metapolicies(n: int) -> Files:
    """Definitions, and an object of each."""
    half = max(1, n // 2)
    objects = listed(
        half,
        lambda i: document(
            "m.example.com/v1", f"M{i}", f"m{i}", f"{{targetRef: {targeting('Gateway', 'web')}}}"
        ),
        "",
    )
    return _fleet(
        "  metapolicies: own.yaml\n",
        objects,
        **{"own.yaml": listed(half, lambda i: _defined(i, _CLAIM), "")},
    )


def metapolicy_of_all(n: int) -> Files:
    """One that makes an object for each pair of routes."""
    body = "{make: [{forEach: {a: 'routes().map(x, routes().map(y, x.metadata.name + y.metadata.name))'}, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${a[0]}', namespace: infra}}}]}"
    objects = document(
        "m.example.com/v1", "M0", "m", f"{{targetRef: {targeting('Gateway', 'web')}}}"
    )
    return _fleet(
        "  metapolicies: own.yaml\n",
        objects + plain_routes(n),
        **{"own.yaml": _defined(0, body)},
    )


def metapolicies_on_spokes(n: int) -> Files:
    """Objects of metapolicies, on spokes of which each has its own."""
    half = max(1, n // 3)
    body = _CLAIM.replace("${self.metadata.name}", "${self.metadata.name}-${spoke.name}")
    spokes = "  spokes: [" + listed(half, lambda i: f"{{name: s{i}}}") + "]\n"
    objects = listed(
        half,
        lambda i: document(
            "m.example.com/v1", "M0", f"m{i}", f"{{targetRef: {targeting('Gateway', 'web')}}}"
        ),
        "",
    )
    return _fleet(
        "  metapolicies: own.yaml\n",
        objects,
        placement=HEAD + spokes + RULES,
        **{"own.yaml": _defined(0, body)},
    )


def claimed_routes(n: int) -> Files:
    """Metapolicies that all change all routes."""
    half = max(1, n // 2)
    body = "{change: [{objects: routes(), merge: {metadata: {annotations: {'a/b': x}}}}]}"
    objects = listed(
        half,
        lambda i: document(
            "m.example.com/v1", "M0", f"m{i}", f"{{targetRef: {targeting('Gateway', 'web')}}}"
        ),
        "",
    )
    return _fleet(
        "  metapolicies: own.yaml\n",
        objects + plain_routes(half),
        **{"own.yaml": _defined(0, body)},
    )


_PUBLISHED = """\
---
apiVersion: syncagent.kcp.io/v1alpha1
kind: PublishedResource
metadata: {name: p%d}
spec: {resource: {apiGroup: gateway.networking.k8s.io, kind: HTTPRoute, versions: [v1]}%s}
"""
_PUBLISHING = "apiVersion: spokerender.io/v1alpha1\nkind: Publishing\nmetadata: {name: p}\nspec: {agents: [{name: agent}], workspaces: [%s]}\n"
_CRD = f"""\
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: httproutes.{API}}}
spec:
  group: {API}
  scope: Namespaced
  names: {{kind: HTTPRoute, plural: httproutes}}
  versions:
  - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}}}}}}}
"""


def _publishing(workspaces: str, published: str, objects: str) -> Files:
    return _fleet(
        "  crds: [crds]\n  publishing: publishing.yaml\n",
        published,
        **{
            "publishing.yaml": _PUBLISHING % workspaces,
            "crds/routes.yaml": _CRD,
            "shared/routes.yaml": objects,
        },
    )


_ROUTE = "{name: web, namespace: infra}"


def workspaces(n: int) -> Files:
    """Workspaces that all have the same objects."""
    half = max(1, n // 3)
    many = listed(half, lambda i: f"{{name: w{i}, objects: [shared]}}")
    return _publishing(
        many, _PUBLISHED % (0, ""), listed(half, lambda i: route(f"r{i}", parents=_ROUTE), "")
    )


def mutations(n: int) -> Files:
    """Mutations of each object."""
    half = max(1, n // 2)
    steps = listed(
        half, lambda i: f"{{regex: {{path: 'metadata.labels.a{i}', pattern: '', replacement: x}}}}"
    )
    return _publishing(
        "{name: w, objects: [shared]}",
        _PUBLISHED % (0, f", mutation: {{spec: [{steps}]}}"),
        listed(half, lambda i: route(f"r{i}", parents=_ROUTE), ""),
    )


def related(n: int) -> Files:
    """Related objects of each object."""
    half = max(1, n // 3)
    steps = listed(
        half,
        lambda i: (
            f"{{identifier: i{i}, origin: kcp, version: v1, resource: configmaps, object: {{selector: {{matchLabels: {{a: b}}, rewrite: {{template: {{template: 'x{i}'}}}}}}}}}}"
        ),
    )
    maps = listed(
        half,
        lambda i: (
            f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m{i}, namespace: infra, labels: {{a: b}}}}\n"
        ),
        "",
    )
    return _publishing(
        "{name: w, objects: [shared]}",
        _PUBLISHED % (0, f", related: [{steps}]"),
        listed(half, lambda i: route(f"r{i}", parents=_ROUTE), "") + maps,
    )


def published_kinds(n: int) -> Files:
    """PublishedResources of one kind, and workspaces."""
    half = max(1, n // 2)
    many = listed(half, lambda i: f"{{name: w{i}, objects: [shared]}}")
    return _publishing(
        many, listed(half, lambda i: _PUBLISHED % (i, ""), ""), route("r", parents=_ROUTE)
    )


SHAPES = shapes(
    "fleet",
    suppressions,
    deletions,
    external,
    policy_kinds,
    rules_of_a_kind,
    synced_kinds,
    assertions,
    failing_assertions,
    nested_assertion,
    looping_assertions,
    assertion_of_a_list,
    assertions_of_spokes,
    long_assertion,
    repeated_paths,
    repeated_crds,
    repeated_placements,
    waves,
    delivered_spokes,
    templates,
    long_template,
    nested_template,
    many_templates,
    unknown_fields,
    metapolicies,
    metapolicy_of_all,
    metapolicies_on_spokes,
    claimed_routes,
    workspaces,
    mutations,
    related,
    published_kinds,
)
