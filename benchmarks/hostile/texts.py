"""YAML and JSON: what a reader may stumble over, in the hub, in the placement and in pipes."""

# ruff: noqa: E501, UP031  (texts of YAML with braces of their own, each on one line)

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.hostile.shape import STDIN, Files, Shape, gateway, listed, plain_routes, project

Texts = Mapping[str, Callable[[int], str]]
_MAP = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: infra}\ndata:\n"

TEXTS: Texts = {
    "spaces before a comment": lambda n: f"a: 1{' ' * n}# b\n- c\n",
    "comments": lambda n: "# a\n" * n + _MAP,
    "one comment": lambda n: f"# {'a' * n}\n{_MAP}",
    "empty documents": lambda n: "---\n" * n,
    "small documents": lambda n: "--- {}\n" * n,
    "document ends": lambda n: "...\n---\n" * n,
    "empty lines": lambda n: "\n" * n + _MAP + "\n" * n,
    "a List": lambda n: "kind: List\nitems:\n" + "- {}\n" * n,
    "a List of Lists": lambda n: "{kind: List, items: [" * n + "]}" * n,
    "one key": lambda n: _MAP + "  k: b\n" * n,
    "keys": lambda n: _MAP + listed(n, lambda i: f"  k{i}: b\n", ""),
    "a long key": lambda n: f"{_MAP}  {'k' * n}: b\n",
    "long keys": lambda n: (
        _MAP + listed(max(1, n // 1000), lambda i: f"  ? {'k' * 1000}{i}\n  : b\n", "")
    ),
    "complex keys": lambda n: _MAP + "  ? [a]\n  : b\n" * n,
    "deep flow": lambda n: "[" * n,
    "deep mappings": lambda n: "{a: " * n,
    "deep blocks": lambda n: "- " * n + "a\n",
    "deep indentation": lambda n: listed(n, lambda i: " " * min(i, 300) + "a:\n", ""),
    "anchors": lambda n: _MAP + listed(n, lambda i: f"  k{i}: &a{i} b\n", ""),
    "aliases": lambda n: _MAP + "  k: &a b\n" + listed(n, lambda i: f"  k{i}: *a\n", ""),
    "aliases of aliases": lambda n: (
        "a0: &a0 [x]\n"
        + listed(n, lambda i: f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]\n", "")
    ),
    "merges": lambda n: (
        "a: &a {" + listed(n, lambda i: f"k{i}: b") + "}\n" + "b: {<<: *a}\n" * (n // 4)
    ),
    "tags": lambda n: _MAP + "  k: !a b\n" * n,
    "a long tag": lambda n: f"{_MAP}  k: !<{'a' * n}> b\n",
    "quotes": lambda n: _MAP + "  k: " + '"' * n,
    "escapes": lambda n: _MAP + '  k: "' + "\\x41" * n + '"\n',
    "single quotes": lambda n: _MAP + "  k: '" + "''" * n + "'\n",
    "a literal": lambda n: _MAP + "  k: |\n" + "    a\n" * n,
    "a folded text": lambda n: _MAP + "  k: >\n" + "    a\n\n" * n,
    "a plain text of lines": lambda n: _MAP + "  k: a\n" + "    a\n" * n,
    "a double quoted text of lines": lambda n: _MAP + '  k: "a\n' + "    a\n" * n + '"\n',
    "directives": lambda n: "%TAG !a! tag:a\n" * n + "--- a\n",
    "colons": lambda n: _MAP + "  k: " + ":" * n + "\n",
    "dashes": lambda n: "-" * n + "\n",
    "question marks": lambda n: "? " * n + "\n",
    "tabs": lambda n: _MAP + "\t" * n + "k: b\n",
    "carriage returns": lambda n: _MAP.replace("\n", "\r\n") + "  k: a\r\n" * n,
    "letters of many bytes": lambda n: _MAP + "  k: " + "\U0001f600" * n + "\n",
    "numbers": lambda n: _MAP + f"  k: {'9' * n}\n",
    "a float": lambda n: _MAP + f"  k: 1e{'9' * n}\n",
    "dots": lambda n: _MAP + f"  k: {'1.' * n}\n",
    "underscores": lambda n: _MAP + f"  k: {'1_' * n}x\n",
    "sexagesimals": lambda n: _MAP + f"  k: 1{':1' * n}\n",
    "a date": lambda n: _MAP + f"  k: 2020-01-01{' ' * n}1\n",
    "wrong lines": lambda n: "a: b: c\n---\n" * n,
    "conflict markers": lambda n: "<<<<<<< a\n" * n,
    "items that are no objects": lambda n: "kind: List\napiVersion: v1\nitems:\n" + "- a\n" * n,
    "objects without names": lambda n: "---\napiVersion: v1\nkind: ConfigMap\n" * n,
    "objects in a flow": lambda n: (
        "--- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n" * n
    ),
}
JSON: Texts = {
    "quotes in JSON": lambda n: '{"a": ' + '"' * n,
    "deep JSON": lambda n: '{"a":' * n,
    "JSON lists": lambda n: "[" + "[]," * n + "[]]",
    "JSON numbers": lambda n: "[" + "1," * n + "1]",
    "JSON keys": lambda n: (
        '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {'
        + listed(n, lambda i: f'"k{i}": "b"')
        + "}}"
    ),
    "JSON of one key": lambda n: "{" + '"a": 1, ' * n + '"b": 1}',
    "JSON escapes": lambda n: '{"a": "' + "\\u0041" * n + '"}',
    "JSON backslashes": lambda n: '{"a": "' + "\\" * n,
    "documents of JSON": lambda n: '{"a": 1}\n' * n,
}


def _hub(text: Callable[[int], str], name: str = "hub/z.yaml") -> Callable[[int], Files]:
    return lambda n: project(**{name: text(n)})


def _piped(text: Callable[[int], str]) -> Callable[[int], Files]:
    return lambda n: {"hub/gateway.yaml": gateway(), STDIN: text(n)}


def _imported(text: Callable[[int], str]) -> Callable[[int], Files]:
    return lambda n: project(**{STDIN: text(n)})


def _lists(n: int, each: str) -> str:
    return "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + each * n


_CONFIG = "functionConfig: {apiVersion: spokerender.io/v1alpha1, kind: Placement, metadata: {name: p}, spec: {spokes: [{name: a}], rules: [{gateways: {names: [infra/web]}, spokes: {all: true}}]}}\n"
_ITEM = "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a%d, namespace: infra, annotations: {config.kubernetes.io/path: 'a%d.yaml', config.kubernetes.io/index: '0'}}}\n"
PIPED: Texts = {
    "items": lambda n: _lists(0, "") + listed(n, lambda i: _ITEM % (i, i), "") + _CONFIG,
    "equal items": lambda n: _lists(n, _ITEM % (0, 0)) + _CONFIG,
    "junk": lambda n: _lists(n, "- a\n") + _CONFIG,
    "empty items": lambda n: _lists(n, "- {}\n") + _CONFIG,
    "odd annotations": lambda n: (
        _lists(
            n,
            "- {apiVersion: v1, kind: A, metadata: {name: a, annotations: {config.kubernetes.io/path: '../..', config.kubernetes.io/index: '-'}}}\n",
        )
        + _CONFIG
    ),
    "annotations": lambda n: (
        _lists(
            1,
            "- {apiVersion: v1, kind: A, metadata: {name: a, annotations: {"
            + listed(n, lambda i: f"a{i}: b")
            + "}}}\n",
        )
        + _CONFIG
    ),
    "comments": lambda n: _lists(1, _ITEM % (0, 0)) + "# a\n" * n + _CONFIG,
    "routes": lambda n: (
        _lists(0, "")
        + listed(
            n,
            lambda i: (
                "- {apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: r%d, namespace: infra}, spec: {parentRefs: [{name: web}]}}\n"
                % i
            ),
            "",
        )
        + _CONFIG
    ),
    "results": lambda n: _lists(0, "") + _CONFIG + "results:\n" + "- {message: a}\n" * n,
    "brackets": lambda n: "[" * n,
    "quotes": lambda n: '"' * n,
}
IMPORTED: Texts = {
    "objects": lambda n: listed(
        n,
        lambda i: f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{i}, namespace: b}}\n",
        "",
    ),
    "equal objects": lambda n: (
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n" * n
    ),
    "junk": lambda n: "--- a\n" * n,
    "managed fields": lambda n: (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  managedFields:\n"
        + "  - {manager: a}\n" * n
    ),
    "a List": lambda n: (
        "apiVersion: v1\nkind: List\nitems:\n"
        + listed(
            n,
            lambda i: (
                f"- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: a{i}, namespace: b}}}}\n"
            ),
            "",
        )
    ),
    "Secrets": lambda n: listed(
        n,
        lambda i: f"---\napiVersion: v1\nkind: Secret\nmetadata: {{name: a{i}, namespace: b}}\n",
        "",
    ),
    "routes": plain_routes,
}
_COMMANDS = (("check",),)
SHAPES = (
    *(Shape(f"text: {name}", _hub(text), _COMMANDS) for name, text in TEXTS.items()),
    *(Shape(f"text: {name}", _hub(text, "hub/z.json"), _COMMANDS) for name, text in JSON.items()),
    *(Shape(f"fn: {name}", _piped(text), (("fn",),)) for name, text in PIPED.items()),
    *(
        Shape(f"import: {name}", _imported(text), (("import", "-"),))
        for name, text in IMPORTED.items()
    ),
)
