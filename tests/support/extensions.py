"""Extensions for tests: good ones by the SDK, bad ones by what is below it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

from render.edge.extensions.running import Declared, Program
from render.edge.processes import Command
from render.rendering.metapolicies.model import Question

KIND = ("acme.example", "QuotaPolicy")
LIMITS = ("kuadrant.io", "RateLimitPolicy")
QUOTA: dict[str, Any] = {
    "apiVersion": "acme.example/v1",
    "kind": "QuotaPolicy",
    "metadata": {"name": "fair", "namespace": "shop"},
    "spec": {"perMinute": 3},
}
GOOD = """\
from render.sdk import Extension

extension = Extension("fair", "1.0.0")


@extension.transforms("QuotaPolicy.acme.example", writes=["RateLimitPolicy.kuadrant.io"])
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
from render.edge.extensions.protocol import message
from render.edge.extensions.serving import serve

def handshake(_):
    return message("HandshakeReply", protocol=1, name="fair", version="1.0.0")

def kind(group, kind):
    return message("Kind", group=group, kind=kind)

def register(_):
    it = kind("acme.example", "QuotaPolicy")
    return message("Registration", transformers=[message("Transformer", kind=it)])

def transform(question):
    return message("Reply", item_json=question.item_json)

def notify(_):
    return message("Noted")

"""
"""An extension without the SDK, up to its methods; what comes after may replace some."""
SERVE = """
serve({"Handshake": handshake, "Register": register, "Transform": transform, "Notify": notify},
      os.environ["SPOKERENDER_EXTENSION_SOCKET"])
"""


def extension(folder: Path, text: str = GOOD, *, start: float = 60, answer: float = 60) -> Program:
    """An extension in a folder, of such a Python file."""
    (folder / "main.py").write_text(text, encoding="utf-8")
    command = Command(Path(sys.executable), folder, ("main.py",))
    declared = Declared(KIND, frozenset(), frozenset([LIMITS]))
    return Program("fair", "1.0.0", command, start, answer, {"quota": declared})


def rogue(folder: Path, text: str, *, start: float = 60, answer: float = 60) -> Program:
    """An extension that does something else in one of its methods."""
    return extension(folder, BELOW + dedent(text) + SERVE, start=start, answer=answer)


def question(
    spoke: str = "eu",
    query: Callable[[str], Any] | None = None,
    items: tuple[dict[str, Any], ...] = (),
) -> Question:
    """A question about one metapolicy on a spoke."""
    return Question(QUOTA, items, {"name": spoke}, "quota", query or (lambda _: None))
