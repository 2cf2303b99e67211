"""Projects of 100 KB that were written to cost much: refusing them is to be as fast as a build."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SIZE = 100_000

_FLEET = "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\n"
_PLACEMENT = """\
apiVersion: spokerender.io/v1alpha1
kind: Placement
metadata: {name: all}
spec:
  spokes: [{name: one}]
  rules: [{gateways: {names: [infra/web]}, spokes: {all: true}}]
"""
_GATEWAY = """\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: infra}
spec:
  gatewayClassName: istio
  listeners: [{name: web, port: 80, protocol: HTTP}]
"""
_OVERRIDE = "  overrides:\n  - target: {kind: Gateway}\n    spokes: {all: true}\n"
_LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
_OWN = "spec:\n  templates: own\n  delivery: {flux: {}}\n"
_API = "gateway.networking.k8s.io"
_OBJECT = f"---\napiVersion: {_API}/v1\nkind: %s\nmetadata: {{name: %s, namespace: infra}}\n"
_LISTENERS = ", ".join(f"{{name: l{i}, port: {i + 1}, protocol: HTTP}}" for i in range(1400))
_NAMES = ", ".join(f"h{i}.example.com" for i in range(1400))
_PARENTS = "parentRefs: [{name: web}], "

HOSTILE: Mapping[str, Mapping[str, str]] = {
    "spaces before a comment": {"hub/a.yaml": f"a: 1{' ' * SIZE}# b\n- c\n"},
    "quotes in JSON": {"hub/a.json": '{"a": ' + '"' * SIZE},
    "a List of 20,000": {"hub/a.yaml": "kind: List\nitems:\n" + "- {}\n" * (SIZE // 5)},
    "a key 20,000 times": {"hub/a.yaml": "a: b\n" + "k: 1\n" * (SIZE // 5)},
    "copies of copies": {
        "placement.yaml": f"{_PLACEMENT}{_OVERRIDE}    patch:\n"
        + "".join(f"    - {{op: copy, from: /spec, path: /spec/x{i}}}\n" for i in range(40))
    },
    "wrong names": {
        "placement.yaml": _PLACEMENT.replace("{all: true}", "{names: [%s]}").replace(
            "{name: one}", ", ".join(f"{{name: spoke-number-{i}}}" for i in range(1500))
        )
        % ", ".join(f"spoke-numbr-{i}" for i in range(2000))
    },
    "listeners and hostnames": {
        "hub/a.yaml": f"{_OBJECT % ('Gateway', 'a')}spec: {{listeners: [{_LISTENERS}]}}\n"
        f"{_OBJECT % ('HTTPRoute', 'a')}spec: {{{_PARENTS}hostnames: [{_NAMES}]}}\n"
    },
    "loops in a template": {
        "fleet.yaml": _FLEET + _OWN,
        "own/flux/kustomizations.yaml.j2": _LOOP,
    },
}


def write_hostile(folder: Path, name: str) -> Path:
    """Write a project that is refused; return its folder."""
    files = {
        "fleet.yaml": _FLEET,
        "placement.yaml": _PLACEMENT,
        "hub/gateway.yaml": _GATEWAY,
        **HOSTILE[name],
    }
    project = folder / name.replace(" ", "-")
    for path, text in files.items():
        target = project / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return project
