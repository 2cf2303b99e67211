"""Publishing through the command line: build, check, explain, status."""

import shutil
from pathlib import Path

import pytest

from spokerender.cli import run
from tests.conftest import ROOT
from tests.support import cyaml

_CART = "f39597dce3aed80bee3d-117738418608722a2c08"


@pytest.fixture
def tenants(tmp_path: Path) -> Path:
    """The example, to be changed."""
    folder = tmp_path / "tenants"
    shutil.copytree(ROOT / "examples/tenants", folder)
    return folder


def test_the_example_is_true_and_sound(tenants: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(tenants)]) == 0
    assert capsys.readouterr().err == ""


def test_building_again_from_the_sources_alone_gives_the_same_bytes(tenants: Path) -> None:
    before = {p: p.read_bytes() for p in tenants.rglob("*") if p.is_file()}
    shutil.rmtree(tenants / "clusters")
    assert run(["build", str(tenants)]) == 0
    assert before == {p: p.read_bytes() for p in tenants.rglob("*") if p.is_file()}


def test_a_field_of_another_version_is_refused_at_its_line(
    tenants: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tenants / "workspaces/team-a/cart.yaml"
    text = path.read_text(encoding="utf-8")
    changed = text.replace("    authentication:", "    routeSelectors: [x]\n    authentication:")
    path.write_text(changed, encoding="utf-8")
    assert run(["build", str(tenants)]) == 0
    assert run(["check", str(tenants)]) == 1
    line = changed[: changed.index("routeSelectors")].count("\n") + 1
    output = capsys.readouterr().err
    assert f"workspaces/team-a/cart.yaml:{line}: error SR2302 AuthPolicy shop/cart" in output


def test_explain_tells_who_gave_each_field_its_value(
    tenants: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", str(tenants), "team-a|AuthPolicy/shop/cart"]) == 0
    output = capsys.readouterr().out
    assert f"as AuthPolicy team-a/{_CART}" in output
    value = next(line for line in output.splitlines() if "message.value" in line)
    assert "mutation" in value
    assert "hub/published.yaml:18" in value
    name = next(line for line in output.splitlines() if "spec.targetRef.name" in line)
    assert "the agent that copies it" in name
    assert "workspaces/team-a/cart.yaml:31" in name
    assert run(["explain", str(tenants), "team-a|AuthPolicy/shop/nope"]) == 2


def test_explain_lists_the_secrets_that_a_spoke_needs_by_both_names(
    tenants: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", str(tenants), "--spoke", "eu"]) == 0
    output = capsys.readouterr().out
    assert f"Secret team-a/{_CART}-api-key, Secret shop/cart-api-key in workspace team-a" in output
    assert run(["explain", str(tenants), "--spoke", "kcp-shop"]) == 0
    assert "Secret" not in capsys.readouterr().out


def test_no_secret_is_rendered_or_printed(
    tenants: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tenants / "workspaces/team-a/cart.yaml"
    written = (
        "---\napiVersion: v1\nkind: Secret\nmetadata: {name: cart-api-key, namespace: shop}\n"
        "stringData: {api_key: t0ps3cret}\n"
    )
    path.write_text(path.read_text(encoding="utf-8") + written, encoding="utf-8")
    assert run(["build", str(tenants), "--verbose"]) == 0
    assert run(["explain", str(tenants), "--spoke", "eu"]) == 0
    printed = capsys.readouterr()
    assert "t0ps3cret" not in printed.out + printed.err
    trees = [p.read_text() for p in (tenants / "clusters").rglob("*") if p.is_file()]
    assert not any("t0ps3cret" in text for text in trees)


def test_status_tells_what_consumers_see(
    tenants: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"team-a/authpolicy.kuadrant.io_{_CART}.yaml"
    live = cyaml.safe_load((tenants / "clusters/eu" / name).read_text(encoding="utf-8"))
    live["status"] = {"observedGeneration": 3}
    export = tmp_path / "exports/eu/live.yaml"
    export.parent.mkdir(parents=True)
    export.write_text(cyaml.safe_dump(live), encoding="utf-8")
    command = ["status", str(tenants), "--from", str(tmp_path / "exports"), "--format", "yaml"]
    assert run(command) == 1
    out, err = capsys.readouterr()
    assert "SR2903" in err, "the policy of the other workspace"
    assert [item for item in cyaml.safe_load_all(out) if "workspace" in item] == [
        {
            "workspace": "team-a",
            "object": "AuthPolicy.kuadrant.io/shop/cart",
            "spoke": "eu",
            "status": {"observedGeneration": 3},
        }
    ]
