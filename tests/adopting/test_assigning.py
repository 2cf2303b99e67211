"""Values of a project's own files set by paths; every other byte stays."""

from typing import Any

import pytest

from spokerender.adopting.assigning import assign, read_assignment
from spokerender.findings.errors import InputError
from tests.support import cases, cyaml

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


SPOKE = ("placement.yaml", 0, ("spokes", 0))
SECOND = ("placement.yaml", 0, ("spokes", 1))
US = ("placement.yaml", 1, ("spokes", 0))
RULE = ("placement.yaml", 0, ("rules", 0))
FLEETS = ("fleet.yaml", 0, ())


@cases(
    ("spokes.us-1.labels.tier=edge", US, ["labels"], {"tier": "edge"}),
    ("platform.rules.0.spokes.names.+=eu-2", RULE, ["spokes", "names"], ["eu-1", "eu-2"]),
    (r"spokes.eu-2.labels.top\.io/zone=a", SECOND, ["labels"], {"top.io/zone": "a"}),
    ("fleet.layout=spoke", FLEETS, ["layout"], "spoke"),
    ("spokes.eu-1.values.weight=12", SPOKE, ["values"], {"weight": 12}),
    ("spokes.eu-1.labels.tier=null", SPOKE, ["labels"], {}),
    ("spokes.eu-1.values={a: [1, x]}", SPOKE, ["values"], {"a": [1, "x"]}),
    ("policiesToSync.+={kind: B}", FLEETS, ["policiesToSync", 1], {"kind": "B"}),
)
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


@cases(
    ("spokes.eu-1.labels.tier", "is not of the form PATH=VALUE"),
    ("spokes..labels=x", "is not of the form PATH=VALUE"),
    ("spokes.eu-1.labels.tier={", "is not a value in YAML"),
    ("spokes.eu-1.labels.tier=a: b: c", "is not a value in YAML"),
    ("spoke.eu-1.labels.tier=x", 'no document of the project has "spoke"'),
    ("spokes.eu-9.labels.tier=x", "may be about several documents"),
    ("team.spokes.us-9.labels.tier=x", 'no item "us-9"'),
    ("rules.0.optional=true", "may be about several documents"),
    ("spokes.eu-1.name.first=x", 'has no "first"'),
    ("platform.rules.7.optional=true", 'no item "7"'),
)
def test_what_leads_nowhere(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        after(text)
    (result,) = refused.value.results
    assert result.code == "SR3021"
    assert message in result.message
    assert result.cure
