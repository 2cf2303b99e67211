"""`spokerender graph` on whole projects: the tree, and every format of every example."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.examples import NAMES, SHOP, ask, compare
from tests.cli.project import Shell
from tests.support import each

GOLDEN = Path(__file__).with_name("shop_graph.txt")


@pytest.mark.golden
def test_the_flagship(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, update_golden: bool
) -> None:
    """The whole answer, in `shop_graph.txt`."""
    compare(GOLDEN, ask(monkeypatch, capsys, "graph", SHOP).out, update=update_golden)


@each(*NAMES)
def test_every_example_is_drawn_in_every_form(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def drawn(form: str) -> str:
        return ask(monkeypatch, capsys, "graph", f"examples/{name}", "--format", form).out

    boxes = json.loads(drawn("json"))["diagram"]["boxes"]
    assert len(list(ET.fromstring(drawn("svg")).iter())) > len(boxes)  # noqa: S314  (ours)
    assert drawn("mermaid").startswith("flowchart LR\n")
    # Routes of a mesh are on Services, and no file tells who guards them.
    kind, end = ("Service", "  ") if name == "mesh" else ("Gateway", "\n")
    refs = [box["resourceRef"] for box in boxes if box["resourceRef"]["kind"] == kind]
    assert refs
    tree = drawn("text")
    names = [f"{kind} {ref['namespace']}/{ref['name']}{end}" for ref in refs]
    assert [text for text in names if text not in tree] == []
    assert ("not known: which proxies of the mesh" in tree) is (name == "mesh")


def test_one_spoke_has_its_own_gateways(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hub = ask(monkeypatch, capsys, "graph", SHOP).out
    spoke = ask(monkeypatch, capsys, "graph", SHOP, "--spoke", "ap-southeast-1-prod").out
    assert "Gateway gateways/internal" in hub
    assert "Gateway gateways/internal" not in spoke
    assert "GatewayClass istio" in spoke


def test_a_spoke_that_is_not_declared(shell: Shell) -> None:
    assert 'no spoke "eus" is declared' in shell.refuse("graph", "--spoke", "eus").err
