"""Projects whose metapolicies are code: a hub with a QuotaPolicy, and who makes its limits."""

import sys
from pathlib import Path
from textwrap import dedent, indent

from tests.support.metapolicies import QUOTA, ROUTE, RULES
from tests.support.stages import CLASS, GATEWAY, hub, placement

FLEET = """\
apiVersion: spokerender.io/v1alpha1
kind: Fleet
spec: {metapolicies: quota.yaml}
"""
LIMITS = "[{group: kuadrant.io, kind: RateLimitPolicy}]"


def definition(way: str, reads: str = "[]", writes: str = LIMITS) -> str:
    """A definition of QuotaPolicy; `way` is the YAML of its way, key and all."""
    return (
        "apiVersion: spokerender.io/v1alpha1\n"
        "kind: MetapolicyDefinition\n"
        "metadata: {name: quota}\n"
        "spec:\n"
        "  for: {group: acme.example, kind: QuotaPolicy}\n"
        f"  reads: {reads}\n"
        f"  writes: {writes}\n"
        f"{indent(dedent(way), '  ')}"
    )


def quotas(folder: Path, way: str, **more: str) -> Path:
    """A project in a folder, with a QuotaPolicy on the route of two spokes."""
    (folder / "hub").mkdir(parents=True)
    files = {
        "hub/hub.yaml": hub(CLASS, GATEWAY, ROUTE, QUOTA),
        "placement.yaml": placement(RULES),
        "fleet.yaml": FLEET,
        "quota.yaml": definition(way, **more),
    }
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def program(folder: Path, text: str, name: str = "function") -> None:
    """A KRM function in Python; `text` is what it does with its list, `given`, and how it ends."""
    start = f"#!{sys.executable}\n" + dedent(
        """\
        import json, os, sys, time, yaml
        given = yaml.safe_load(sys.stdin)
        config, items = given["functionConfig"], given["items"]
        def limits(limit, name=None):
            return {
                "apiVersion": "kuadrant.io/v1",
                "kind": "RateLimitPolicy",
                "metadata": {"name": name or config["metadata"]["name"] + "-limits"},
                "spec": {
                    "targetRef": config["spec"]["targetRef"],
                    "limits": {"fair": {"rates": [{"limit": limit, "window": "1m"}]}},
                },
            }
        def answer(*made, results=()):
            given["items"] += made
            given["results"] = list(results)
            json.dump(given, sys.stdout)
        """
    )
    path = folder / name
    path.write_text(start + dedent(text), encoding="utf-8")
    path.chmod(0o755)
