"""The commands that a project is asked with: what they are to be told is read from its files."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.hostile.shape import Files

REF, SPOKE, KIND = "{ref}", "{spoke}", "{kind}"
"""What stands for a name in an argument: the last object, the first spoke, the object's kind."""

EVERY: tuple[tuple[str, ...], ...] = (
    ("check",),
    ("check", "--format", "json"),
    ("check", "--format", "sarif"),
    ("check", "--format", "junit"),
    ("check", "--format", "github"),
    ("check", "--against", "HEAD"),
    ("build", "-o", "-"),
    ("diff",),
    ("diff", "--format", "json"),
    ("diff", "--against", "HEAD"),
    ("status",),
    ("status", "--format", "json"),
    ("status", "--format", "yaml"),
    ("status", "--kind", KIND, "--spoke", SPOKE),
    ("effective",),
    ("effective", "--format", "json"),
    ("effective", "--spoke", SPOKE, "--hostname", "a.example.com"),
    ("explain",),
    ("explain", "--format", "json"),
    ("explain", "--spoke", SPOKE),
    ("explain", REF),
    ("explain", REF, "--format", "json"),
    ("explain", REF, "--spoke", SPOKE),
    ("query", "routes().map(r, r.metadata.name)"),
    ("query", "gateways().map(g, g.findRoutes().map(r, r.findPolicies('AuthPolicy').size()))"),
    ("metapolicies",),
    ("spoke", "list"),
    ("spoke", "add", "another"),
    ("spoke", "rename", SPOKE, "another"),
    ("spoke", "remove", SPOKE),
    ("import", "hub/more.yaml"),
    ("crds", "add", "hub/more.yaml", "-o", "crds"),
    ("init", "--spokes", SPOKE, "--delivery", "none", "--ci", "none"),
)
"""What a project may be asked and told, in every form that costs something of its own."""

_OBJECT = re.compile(r"kind: (\w+)\nmetadata: \{name: ([\w.-]+), namespace: ([\w.-]+)")
_SPOKE = re.compile(r"spokes: \[\{name: ([\w.-]+)")


def asked(command: Sequence[str], files: Files) -> list[str]:
    """The command about this project: names in place of what stands for them."""
    hub = files.get("hub/more.yaml", "") or files.get("hub/gateway.yaml", "")
    kind, name, namespace = (_OBJECT.findall(hub) or [("Gateway", "web", "infra")])[-1]
    spoke = (_SPOKE.findall(files.get("placement.yaml", "")) or ["one"])[0]
    names = {REF: f"{kind}/{namespace}/{name}", SPOKE: spoke, KIND: kind}
    return [names.get(each, each) for each in command]


def commit(folder: Path) -> None:
    """Put the project into a repository of its own, for what asks for a revision."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=no"]
    for step in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all of it"]):
        subprocess.run([*git, *step], cwd=folder, check=True, capture_output=True)
