"""Places in files, and paths in words."""

from __future__ import annotations

from spokerender.formats.comparing import Item
from spokerender.model import shown


def test_shown_as_kubernetes_shows_it() -> None:
    assert shown(("spec", "targetRefs", 0, "name")) == "spec.targetRefs[0].name"
    assert shown(("metadata", "labels", "kuadrant.io/managed")) == (
        "metadata.labels[kuadrant.io/managed]"
    )
    assert shown(()) == ""
    assert shown(("spec", "listeners", Item((("name", "https"),)), "tls")) == (
        "spec.listeners[name=https].tls"
    )
