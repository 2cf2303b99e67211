"""Long work tells how far it is, where a terminal is there to show it."""

import io
import sys
from types import SimpleNamespace

import pytest

from tests.cli.project import CLASS, PLACEMENT, WEB, Shell

MANY = 500


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spokerender.cli.reporting.is_watched", lambda: True)


def routes(count: int) -> str:
    """As many routes as that, as kubectl prints them."""
    route = WEB.partition("---\n")[2]
    return "---\n".join(route.replace("name: shop", f"name: r{n}", 1) for n in range(count))


@pytest.mark.usefixtures("terminal")
def test_an_import_tells_it(empty: Shell) -> None:
    empty.write({"live.yaml": routes(MANY)})
    done = empty.succeed("import", "live.yaml", "-q")
    assert "\rimported: 50 of 500\r" in done.err
    assert "\rimported: 500 of 500\n" in done.err
    assert "\rwritten: 500 of 500\n" in done.err


@pytest.mark.usefixtures("terminal")
def test_what_is_short_tells_nothing(empty: Shell) -> None:
    empty.write({"live.yaml": routes(MANY - 1)})
    assert "imported" not in empty.run("import", "live.yaml").err


@pytest.mark.usefixtures("terminal")
def test_a_function_tells_it(empty: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    spokes = "".join(f"  - {{name: s{n}}}\n" for n in range(MANY))
    placement = PLACEMENT.replace("  spokes:\n", f"  spokes:\n{spokes}", 1)
    assert placement != PLACEMENT
    empty.write({"hub/class.yaml": CLASS, "hub/web.yaml": WEB, "placement.yaml": placement})
    given = b"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"
    out = SimpleNamespace(buffer=io.BytesIO(), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(given)))
    monkeypatch.setattr(sys, "stdout", out)
    done = empty.run("fn")
    assert "of 502\r" in done.err
    assert "\rrendered: 502 of 502\n" in done.err
