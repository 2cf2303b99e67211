"""Metapolicies to measure on: definitions in each way, and policies of a higher level on routes."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from textwrap import indent

GROUP = "quota.example.com"
QUOTA = """\
apiVersion: quota.example.com/v1
kind: {kind}
metadata:
  name: quota-{n}
  namespace: team-{team}
spec:
  targetRef: {{group: gateway.networking.k8s.io, kind: HTTPRoute, name: route-{route}}}
  perMinute: {minute}
"""
DEFINITION = """\
apiVersion: spokerender.io/v1alpha1
kind: MetapolicyDefinition
metadata: {{name: {name}}}
spec:
  for: {{group: quota.example.com, kind: {kind}}}
  reads:
  - {{group: gateway.networking.k8s.io, kind: Gateway}}
  - {{group: gateway.networking.k8s.io, kind: HTTPRoute}}
{spoke}  writes: [{{group: kuadrant.io, kind: TokenRateLimitPolicy}}]
"""
SPOKE = "  - {group: spokerender.io, kind: Spoke}\n"
DECLARATIVE = """\
  declarative:
    make:
    - object:
        apiVersion: kuadrant.io/v1
        kind: TokenRateLimitPolicy
        metadata: {name: "${self.metadata.name}"}
        spec:
          targetRef: ${spec.targetRef}
          limits:
            fair:
              rates: [{limit: "${spec.perMinute}", window: 1m}]
              when: [{predicate: "${'request.host == \\"' + HOST + '\\"'}"}]
"""
PYTHON = """\
from spokerender.authoring import make


def render(policy, spoke):
    host = HOST
    yield make({
        "apiVersion": "kuadrant.io/v1",
        "kind": "TokenRateLimitPolicy",
        "metadata": {"name": policy.name},
        "spec": {
            "targetRef": policy.spec["targetRef"],
            "limits": {
                "fair": {
                    "rates": [{"limit": policy.spec["perMinute"], "window": "1m"}],
                    "when": [{"predicate": f'request.host == "{host}"'}],
                },
            },
        },
    })
"""
EXEC = """\
#!PROGRAM
import json
import sys

import yaml

given = yaml.safe_load(sys.stdin)
policy = given["functionConfig"]
(spoke,) = [item for item in given["items"] if item["kind"] == "Spoke"]
host = str(spoke["spec"]["values"]["ring"])
rates = [{"limit": policy["spec"]["perMinute"], "window": "1m"}]
given["items"].append({
    "apiVersion": "kuadrant.io/v1",
    "kind": "TokenRateLimitPolicy",
    "metadata": {name: policy["metadata"][name] for name in ("name", "namespace")},
    "spec": {
        "targetRef": policy["spec"]["targetRef"],
        "limits": {"fair": {"rates": rates, "when": [{"predicate": f'request.host == "{host}"'}]}},
    },
})
json.dump(given, sys.stdout)
"""
STARTED = """\
apiVersion: spokerender.io/v1alpha1
kind: Extension
metadata: {name: quota}
spec: {version: "1", python: main.py}
"""
EXTENSION = """\
from spokerender.authoring.extensions import Extension

extension = Extension("quota", "1")


@extension.transforms("TenQuota.quota.example.com")
def render(task):
    rates = [{"limit": task.spec["perMinute"], "window": "1m"}]
    host = str(task.spoke["values"]["ring"])
    fair = {"rates": rates, "when": [{"predicate": f'request.host == "{host}"'}]}
    task.make({
        "apiVersion": "kuadrant.io/v1",
        "kind": "TokenRateLimitPolicy",
        "metadata": {"name": task.name},
        "spec": {"targetRef": task.spec["targetRef"], "limits": {"fair": fair}},
    })


extension.serve()
"""
OWN = {
    "hostname": ("self.findHostnames().first() + spoke.name", "policy.hostnames()[0] + spoke.name"),
    "ten": ("string(spoke.values.ring)", "spoke.values['ring']"),
    "none": ("spec.targetRef.name", "policy.spec['targetRef']['name']"),
}
"""What a metapolicy puts in, as CEL and as Python: with the hostname and the name every spoke's
answer differs, with its ring there are ten, and without either there is one."""


def add_quotas(folder: Path, way: str, own: str, *, count: int, routes: int) -> None:
    """Add so many metapolicies to a project, on its routes in turn; `own` is a key of `OWN`.

    What is a program of its own (`exec`, `extension`) is written for `ten` alone.
    """
    kind = f"{own.title()}Quota"
    cel, python = OWN[own]
    texts = (
        QUOTA.format(kind=kind, n=f"{own}-{n}", route=n % routes, team=n % routes % 8, minute=n + 7)
        for n in range(count)
    )
    (folder / "hub" / f"{own}.yaml").write_text("---\n".join(texts))
    spoke = SPOKE if own != "none" else ""
    text = DEFINITION.format(name=own, kind=kind, spoke=spoke)
    definitions = folder / "definitions"
    definitions.mkdir(exist_ok=True)
    if way == "declarative":
        text += DECLARATIVE.replace("HOST", cel)
    elif way == "python":
        (folder / f"{own}.py").write_text(PYTHON.replace("HOST", python))
        text += indent(f"python: {{file: {own}.py}}\n", "  ")
    elif way == "exec":
        program = folder / "function"
        program.write_text(EXEC.replace("PROGRAM", sys.executable))
        program.chmod(0o755)
        text += "  exec: {path: ./function}\n"
    else:
        (definitions / "extension.yaml").write_text(STARTED)
        (definitions / "main.py").write_text(EXTENSION)
        text += "  extension: quota\n"
    (folder / "definitions" / f"{own}.yaml").write_text(text)
    placement = folder / "placement.yaml"
    numbers = itertools.count()
    ringed = re.sub("values: {domain", lambda _: _ring(next(numbers)), placement.read_text())
    placement.write_text(ringed)
    fleet = folder / "fleet.yaml"
    if "metapolicies" not in fleet.read_text():
        fleet.write_text(
            fleet.read_text().replace("spec: {", "spec: {metapolicies: definitions/, ")
        )


def _ring(number: int) -> str:
    return f"values: {{ring: {number % 10}, domain"
