"""`-q` and `-v` are the same everywhere."""

import importlib
import json
from collections.abc import Iterator

import click

from spokerender.cli import COMMANDS, cli
from tests.cli.project import AUTH, PLACEMENT, Shell
from tests.support import cases, each

RULE = "  - gateways: {names: [infra/web]}\n    spokes: {selector: {matchLabels: {a: b}}}\n"
SILENT = {"schema"}
"""What only prints, and has nothing to tell."""


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and, of groups, every command in it."""
    context = click.Context(cli)
    for name in COMMANDS:
        found = cli.get_command(context, name)
        assert found is not None
        if isinstance(found, click.Group):
            yield from ((f"{name} {below}", each) for below, each in found.commands.items())
        else:
            yield name, found


@cases(*list(commands()), ids=[name for name, _ in commands()])
def test_every_command_has_both(name: str, command: click.Command) -> None:
    flags = {flag for parameter in command.params for flag in parameter.opts}
    assert ({"-q", "--quiet", "-v", "--verbose"} <= flags) == (name not in SILENT)


def test_every_module_of_a_command_is_in_the_table() -> None:
    for command in COMMANDS:
        name = f"{command}{'_' * (command == 'import')}"
        assert callable(getattr(importlib.import_module(f"spokerender.cli.{name}"), name))


@each("build", "check", "import hub -o other", "spoke add ap")
def test_quiet_says_nothing_where_all_is_right(arguments: str, shell: Shell) -> None:
    shell.write({"placement.yaml": PLACEMENT + RULE})
    if arguments == "check":
        shell.run("build")
    done = shell.run(*arguments.split(), "-q")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_quiet_says_by_the_status_that_a_tree_is_stale(shell: Shell) -> None:
    done = shell.run("check", "-q")
    assert (done.status, done.out, done.err) == (1, "", "")


def test_quiet_still_tells_errors(shell: Shell) -> None:
    shell.write(
        {
            "hub/auth.yaml": AUTH.replace("    name: web", "    name: wbe"),
            "placement.yaml": PLACEMENT + RULE,
        }
    )
    done = shell.refuse("build", "-q")
    assert "error SR1010" in done.err
    assert "warning" not in done.err


def test_quiet_leaves_answers_and_what_programs_read(shell: Shell) -> None:
    shell.write({"placement.yaml": PLACEMENT + RULE})
    assert "infra/web" in shell.run("spoke", "list", "-q").out
    told = json.loads(shell.run("build", "-q", "--format", "json").out)
    assert told["created"] > 0
    assert [each["severity"] for each in told["results"]].count("warning") == 1


def test_quiet_and_loud_is_a_mistake(shell: Shell) -> None:
    done = shell.run("build", "-q", "-v")
    assert done.status == 2
    assert "-q and -v cannot be used together" in done.err
