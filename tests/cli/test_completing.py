"""What the shell offers, asked as the shell asks it."""

import pytest

from tests.cli.project import WEB, Done, Shell
from tests.support import cases, each, named_rows_of, rows_of


def offered(shell: Shell, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """What follows the last word, as bash's function of click's asks."""
    monkeypatch.setenv("_SPOKERENDER_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(("spokerender", *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    return [line.partition(",")[2] for line in shell.pass_silently().out.splitlines() if line]


@cases(*named_rows_of(__file__, "what_is_offered"))
def test_what_is_offered(
    words: list[str], expected: list[str], shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert offered(shell, monkeypatch, *words) == expected


def test_of_another_folder(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shell.folder.parent)
    words = ("effective", shell.folder.name, "--spoke", "")
    assert offered(shell, monkeypatch, *words) == ["eu", "us"]


@cases(*rows_of(__file__, "requests"))
def test_requests(
    typed: str, expected: list[str], shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = "matches: [{path: {type: RegularExpression, value: .+}}, {path: {value: /pay}}]"
    rules = f"  hostnames: [a.example, '*.b.example']\n  rules: [{{{matches}}}]\n"
    shell.write({"hub/web.yaml": WEB + rules})
    assert offered(shell, monkeypatch, "ask", typed) == expected


@cases(*rows_of(__file__, "what_can_not_be_read_offers_nothing"))
def test_what_can_not_be_read_offers_nothing(
    wrong: str, words: list[str], shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.write({wrong: "{ not: [yaml"})
    assert offered(shell, monkeypatch, *words) == []


@each("bash", "zsh", "fish")
def test_each_shell_is_given_its_function(
    name: str, empty: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SPOKERENDER_COMPLETE", f"{name}_source")
    done: Done = empty.run()
    assert (done.status, done.err) == (0, "")
    assert "spokerender" in done.out
