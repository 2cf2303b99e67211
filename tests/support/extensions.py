"""Extensions for tests: good ones by the SDK, bad ones by what is below it."""

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

from spokerender.edge.processes import ProgramCommand
from spokerender.wings.metapolicies.functions import FunctionInput
from spokerender.wings.metapolicies.runners.extensions.process import (
    ExtensionProgram,
)
from tests.support import manifest
from tests.support.functions import quotas

KIND = ("acme.example", "QuotaPolicy")
QUOTA: dict[str, Any] = {
    "apiVersion": "acme.example/v1",
    "kind": "QuotaPolicy",
    "metadata": {"name": "fair", "namespace": "shop"},
    "spec": {"perMinute": 3},
}
GOOD = """\
from spokerender.authoring.extensions import Extension

extension = Extension("fair", "1.0.0")


@extension.transforms("QuotaPolicy.acme.example")
def fair(task):
    task.make(
        {
            "apiVersion": "kuadrant.io/v1",
            "kind": "RateLimitPolicy",
            "metadata": {"name": f"{task.name}-limits"},
            "spec": {
                "targetRef": task.spec.get("targetRef"),
                "limits": {"fair": {"rates": [{"limit": task.spec["perMinute"], "window": "1m"}]}},
            },
        }
    )


extension.serve()
"""
BELOW = """\
import os, sys, time
from spokerender.authoring.protocol import build_message as message
from spokerender.authoring.extensions import serve

def handshake(_):
    return message("HandshakeReply", protocol=1, name="fair", version="1.0.0")

def kind(group, kind):
    return message("Kind", group=group, kind=kind)

def register(_):
    return message("Registration", kinds=[kind("acme.example", "QuotaPolicy")])

def transform(question):
    return message("Reply", item_json=question.item_json)

"""
"""An extension without the SDK, up to its methods; what comes after may replace some."""
SERVE = """
serve({"Handshake": handshake, "Register": register, "Transform": transform},
      os.environ["SPOKERENDER_EXTENSION_SOCKET"])
"""


def extension(
    folder: Path, text: str = GOOD, *, start: float = 60, answer: float = 60
) -> ExtensionProgram:
    """An extension in a folder, of such a Python file."""
    (folder / "main.py").write_text(text, encoding="utf-8")
    command = ProgramCommand(Path(sys.executable), folder, ("main.py",))
    return ExtensionProgram("fair", "1.0.0", command, start, answer, {"quota": KIND})


def rogue(folder: Path, text: str, *, start: float = 60, answer: float = 60) -> ExtensionProgram:
    """An extension that does something else in one of its methods."""
    return extension(folder, BELOW + dedent(text) + SERVE, start=start, answer=answer)


def question(
    spoke: str = "eu",
    query: Callable[[str], Any] | None = None,
    items: tuple[dict[str, Any], ...] = (),
) -> FunctionInput:
    """A question about one metapolicy on a spoke."""
    return FunctionInput(QUOTA, items, {"name": spoke}, "quota", query or (lambda _: None))


EXTENSION = manifest(
    "Extension fair", "version: 1.0.0, python: main.py", api="spokerender.io/v1alpha1"
)


def project_with(folder: Path, text: str = GOOD, said: str = EXTENSION, **more: str) -> Path:
    """A project whose QuotaPolicy an extension transforms; `said` is its file."""
    quotas(folder, "extension: fair\n", **more)
    settings = (folder / "fleet.yaml").read_text(encoding="utf-8")
    fleet = settings.replace("quota.yaml", "[quota.yaml, extension/extension.yaml]")
    (folder / "extension").mkdir()
    files = {"fleet.yaml": fleet, "extension/main.py": text, "extension/extension.yaml": said}
    for path, content in files.items():
        (folder / path).write_text(content, encoding="utf-8")
    return folder
