"""Values of a project's own files set by paths; every other byte stays."""

from typing import Any

import pytest

from spokerender.adopting.assigning import assign, read_assignment
from spokerender.findings.errors import InputError
from tests.support import cases, cyaml, rows_of

FLEET = b"""\
# the fleet
apiVersion: spokerender.io/v1alpha1
kind: Fleet
spec:
  policiesToSync:
    - {group: kuadrant.io, kind: AuthPolicy} # kept
"""
PLACEMENT = b"""\
apiVersion: spokerender.io/v1alpha1
kind: Placement
metadata: {name: platform}
spec:
  spokes:
    - name: eu-1 # the first
      labels: {tier: core}
    - name: eu-2
  rules:
    - gateways: {names: [infra/web]}
      spokes: {names: [eu-1]}
---
apiVersion: spokerender.io/v1alpha1
kind: Placement
metadata: {name: team}
spec:
  spokes:
    - {name: us-1}
  rules: []
"""
FILES = [("fleet.yaml", FLEET), ("placement.yaml", PLACEMENT)]


def after(*texts: str) -> dict[str, list[Any]]:
    """The specs of the files that the settings change."""
    changed = assign(FILES, [read_assignment(text) for text in texts])
    return {path: [d["spec"] for d in cyaml.safe_load_all(data)] for path, data in changed.items()}


def test_a_label_of_a_spoke_found_by_its_name() -> None:
    changed = assign(FILES, [read_assignment("spokes.eu-1.labels.tier=edge")])
    assert changed == {"placement.yaml": PLACEMENT.replace(b"tier: core", b"tier: edge")}


@cases(*rows_of(__file__, "what_is_set"))
def test_what_is_set(
    text: str, place: tuple[str, int, tuple[str | int, ...]], steps: list[str | int], value: object
) -> None:
    path, document, before = place
    current: Any = after(text)[path][document]
    for step in (*before, *steps):
        current = current[step]
    assert current == value


def test_several_add_up() -> None:
    spec = after("spokes.eu-1.labels.a=x", "spokes.eu-1.labels.b=z")["placement.yaml"][0]
    assert spec["spokes"][0]["labels"] == {"tier": "core", "a": "x", "b": "z"}


@cases(*rows_of(__file__, "what_leads_nowhere"))
def test_what_leads_nowhere(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        after(text)
    (result,) = refused.value.results
    assert result.code == "SR3021"
    assert message in result.message
    assert result.cure
