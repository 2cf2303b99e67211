"""The command line: parse arguments, call a command, print errors, exit.

The module of a command is imported when the command is called, so that `--help` stays instant.
"""

import contextlib
import gc
import importlib
import io
import os
import sys
from collections.abc import Mapping, Sequence
from errno import EBADF, EDQUOT, EFBIG, EIO, ENOSPC, EPIPE
from keyword import iskeyword
from pathlib import Path

import click

from spokerender import __version__
from spokerender.findings.errors import RenderError
from spokerender.wings import WINGS

EXIT_WRONG_INPUT, EXIT_OUR_FAULT, EXIT_INTERRUPTED = 2, 3, 130

_POSIX = "fcntl"
"""A module of the standard library that is absent on Windows."""

_SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Render and review": {
        "build": "Render every spoke's tree and write it, all or nothing.",
        "check": "Compare the output with a fresh render, and judge every spoke.",
        "diff": "Show how a fresh render differs from the committed output.",
        "review": "Show what a change does to requests, and to who may make them.",
        "rollout": "Show the waves of a change, and how far it is.",
    },
    "Ask": {
        "ask": "Show what happens to a request, on which spokes, and from which lines.",
        "explain": "Explain where an object goes, or what a spoke gets and needs.",
        "effective": "Show which policies are in force, and where each rule comes from.",
        "status": "Show whether each policy attaches and takes effect on each spoke.",
        "graph": "Draw the topology of the hub or of a spoke, with its policies.",
        **{name: purpose for wing in WINGS for name, purpose in wing.commands.items()},
    },
    "Start and edit": {
        "init": "Create a project: hub, placement, delivery, CI, README.",
        "adopt": "Make one hub and one placement of clusters that have their policies already.",
        "import": "Import live objects of a cluster into the hub.",
        "spoke": "List, add, rename or remove spokes in the placement.",
        "rename": "Rename an object of the hub, and everything that names it.",
        "crds": "List carried CRDs; add those that check validates objects with.",
    },
    "Look up and embed": {
        "rules": "Explain what findings mean and how to fix them.",
        "schema": "Print the JSON Schema of the project's own files.",
        "fn": "Render as a KRM function: read a ResourceList, print one.",
    },
}
"""The commands by purpose, the most used first: sections of `--help`."""
COMMANDS: Mapping[str, str] = {
    name: purpose for section in _SECTIONS.values() for name, purpose in section.items()
}
"""The commands with their help. A command is a function in the module of the same name."""


class Commands(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Return the commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command, after importing its module; None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        try:
            # `import` is a keyword, so its module is `import_`.
            name = f"{cmd_name}{'_' * iskeyword(cmd_name)}"
            module = importlib.import_module(f"spokerender.cli.{name}")
        # Windows lacks attributes of `os` as well as the module `fcntl`.
        except (AttributeError, ImportError) as error:
            if sys.platform != "win32" and getattr(error, "name", "") != _POSIX:
                raise
            message = f"{cmd_name} needs POSIX file locks: on Windows, run it in WSL"
            raise click.ClickException(message) from error
        command: click.Command = getattr(module, name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command. Raises `click.UsageError` with the nearest name if it is unknown."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from spokerender.findings.phrasing import did_you_mean  # noqa: PLC0415  (start-up counts)

            hint = did_you_mean(args[0], COMMANDS, "there are")
            message = f'no command "{args[0]}"; {hint}'
            raise click.UsageError(message, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing their modules."""
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="spokerender")
def cli() -> None:
    """Render a hub's Gateway API policies into one manifest tree per spoke cluster.

    A project is a folder with hub/ and placement.yaml, and optionally fleet.yaml. Commands take
    the folder as DIR; the default is the current folder, or the nearest project above it.

    Completion: eval "$(_SPOKERENDER_COMPLETE=bash_source spokerender)", or zsh_source, fish_source.

    Exit status: 0 success, 1 stale output, a difference or a failed check, 2 invalid input,
    3 an internal error.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    # A run creates objects and ends: collecting cycles, and freeing the objects one by one at the
    # end, takes a tenth of the time for a large fleet and gains nothing.
    gc.disable()
    _open_streams()
    status = run(arguments)
    with contextlib.suppress(OSError):  # nobody reads any longer
        sys.stdout.flush()
        sys.stderr.flush()
    # _exit skips interpreter shutdown, which is why both streams are flushed by hand.
    os._exit(status)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    from spokerender.findings.phrasing import few_suggestions  # noqa: PLC0415  (start-up counts)

    try:
        with few_suggestions():
            # click would print errors itself, and exit with statuses of its own.
            status = cli.main(args=arguments, prog_name="spokerender", standalone_mode=False)
            return status if isinstance(status, int) else 0
    except (KeyboardInterrupt, click.exceptions.Abort):
        return EXIT_INTERRUPTED
    except SystemExit as ended:  # click: a completed command line, or nobody reads
        return 0 if ended.code == 0 else EXIT_WRONG_INPUT
    except Exception as error:  # noqa: BLE001  (whatever is not the user's to mend is our fault)
        with contextlib.suppress(OSError):  # stderr is closed, too; the status says it
            _print_error(error)
        is_user_error = isinstance(error, click.ClickException | RenderError)
        is_expected = is_user_error or _is_stream_error(error)
        return EXIT_WRONG_INPUT if is_expected else EXIT_OUR_FAULT


def _open_streams() -> None:
    """Open closed standard streams, so that no other file gets their numbers.

    Printing to a closed standard output remains an error, as printing to a full disk does.
    Characters that the encoding lacks are printed as escapes.
    """
    # The next file that opens would get the number of a closed stream, and printing would write
    # into that file.
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # gets the lowest free number
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (a number)
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (a number)


def _is_stream_error(error: Exception) -> bool:
    """Return whether a standard stream failed; errors of files are `DiskError` or have a name."""
    if not isinstance(error, OSError) or error.filename is not None:
        return False
    return error.errno in {EBADF, EDQUOT, EFBIG, EIO, ENOSPC, EPIPE}


def _print_error(error: Exception) -> None:
    from spokerender.report.terminal import printable  # noqa: PLC0415  (start-up counts)

    match error:
        case click.ClickException():
            text = io.StringIO()
            error.show(text)
            # People look for the option that kubectl has.
            if isinstance(error, click.NoSuchOption) and error.option_name == "--dry-run":
                text.write("Run 'spokerender diff' to see what build would write.\n")
            click.echo(printable(text.getvalue()), err=True, nl=False)
        case RenderError():
            click.echo(printable(f"spokerender: {error}"), err=True)
        case BrokenPipeError():
            pass
        case OSError() if _is_stream_error(error):
            message = f"spokerender: cannot print the output: {error.strerror}"
            click.echo(message, err=True)
        case _:
            _print_internal_error(error)


def _print_internal_error(error: Exception) -> None:
    """Print one paragraph about an error of ours, and write its traceback to a file."""
    import tempfile  # noqa: PLC0415  (start-up counts, and this is rare)
    import traceback  # noqa: PLC0415

    # The file stays, since the message asks to send it.
    with tempfile.NamedTemporaryFile(
        "w", prefix="spokerender-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(f"spokerender {__version__}, Python {sys.version}\n{sys.argv}\n")
        traceback.print_exception(error, file=file)
    click.echo(
        "spokerender: internal error; no unfinished file is in place. Please report it with the "
        f"traceback in {Path(file.name)}.",
        err=True,
    )
