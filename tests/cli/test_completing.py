"""What the shell offers, asked as the shell asks it."""

from __future__ import annotations

import pytest

from tests.cli.project import Done, Shell


def offered(shell: Shell, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """What follows the last word, as bash's function of click's asks."""
    monkeypatch.setenv("_SPOKERENDER_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(("spokerender", *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    done = shell.run()
    assert (done.status, done.err) == (0, "")
    return [line.partition(",")[2] for line in done.out.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(["ch"], ["check"], id="a command"),
        pytest.param(["spoke", "re"], ["remove", "rename"], id="a command of a group"),
        pytest.param(["build", "--allow-d"], ["--allow-delete"], id="an option"),
        pytest.param(["effective", "--spoke", ""], ["eu", "us"], id="spokes"),
        pytest.param(["status", "--spoke", "u"], ["us"], id="a spoke"),
        pytest.param(["spoke", "remove", "e"], ["eu"], id="a spoke as an argument"),
        pytest.param(
            ["explain", "authpolicy/"], ["authpolicy/infra/closed"], id="an object of the hub"
        ),
        pytest.param(["rename", "Gateway/"], ["Gateway/infra/web"], id="an object to rename"),
        pytest.param(
            ["explain", "Gateway/"], ["Gateway/infra/web"], id="in the case that is typed"
        ),
        pytest.param(["effective", "--route", ""], ["httproute/shop/shop"], id="routes"),
        pytest.param(["status", "--kind", "Auth"], ["AuthPolicy"], id="kinds of policy"),
        pytest.param(["rules", "sr240"], ["sr2401"], id="codes"),
        pytest.param(["effective", "--format", "j"], ["json"], id="formats"),
    ],
)
def test_what_is_offered(
    words: list[str], expected: list[str], shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert offered(shell, monkeypatch, *words) == expected


def test_of_another_folder(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shell.folder.parent)
    words = ("effective", shell.folder.name, "--spoke", "")
    assert offered(shell, monkeypatch, *words) == ["eu", "us"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("placement.yaml", ("status", "--spoke", "")),
        ("fleet.yaml", ("status", "--spoke", "")),
        ("fleet.yaml", ("explain", "")),
        ("hub/auth.yaml", ("explain", "authpolicy/")),
    ],
)
def test_what_can_not_be_read_offers_nothing(
    wrong: str, words: tuple[str, ...], shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.write({wrong: "{ not: [yaml"})
    assert offered(shell, monkeypatch, *words) == []


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_each_shell_is_given_its_function(
    name: str, empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SPOKERENDER_COMPLETE", f"{name}_source")
    done: Done = empty.run()
    assert (done.status, done.err) == (0, "")
    assert "spokerender" in done.out
