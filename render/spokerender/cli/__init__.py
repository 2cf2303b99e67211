"""The command line: parse, read, render, write or print, exit. Nothing here decides anything.

A command is a module that is imported when it is called, so that `--help` stays instant.
"""

from __future__ import annotations

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
from typing import Any

import click

from spokerender import __version__
from spokerender.findings.errors import RenderError
from spokerender.wings import load_wings

EXIT_WRONG_INPUT, EXIT_OUR_FAULT, EXIT_INTERRUPTED = 2, 3, 130

_POSIX = "fcntl"
"""A module of Python's that Windows has not."""

_OF_CORE: Mapping[str, str] = {
    "build": "Render every spoke's tree and write it, all or nothing.",
    "check": "Compare the committed tree with a fresh render, and judge every spoke.",
    "crds": "Put CRDs where check looks for them, from files or a URL.",
    "diff": "Show what a build would change against what is committed.",
    "effective": "Tell which policy is in force on every path, and where each rule came from.",
    "explain": "Tell where an object goes and why, or what a spoke gets and needs.",
    "fn": "Render as a KRM function: a ResourceList in, a ResourceList out.",
    "import": "Bring live objects into the hub, one a file, without what a cluster owns.",
    "init": "Make a project to begin with: hub, placement, delivery, CI, README.",
    "push": "Push every spoke's tree to a registry, as an OCI artifact for Flux and Argo CD.",
    "rules": "Tell what each finding means and how to mend it.",
    "schema": "Print the JSON Schema of fleet.yaml and placement.yaml.",
    "spoke": "List, add, rename or remove spokes in the placement, and say what follows.",
    "status": "Tell whether each policy attaches on each spoke, and is in force.",
}
COMMANDS = dict(
    sorted([*_OF_CORE.items(), *(item for wing in load_wings() for item in wing.commands.items())])
)


class Commands(click.Group):
    """Finds a command's module by the command's name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """The commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command, if there is one of that name."""
        if cmd_name not in COMMANDS:
            return None
        try:
            module = importlib.import_module(
                f"spokerender.cli.{cmd_name}{'_' * iskeyword(cmd_name)}"
            )
        except (AttributeError, ImportError) as error:
            if sys.platform != "win32" and getattr(error, "name", "") != _POSIX:
                raise
            message = f"`{cmd_name}` needs files and locks of POSIX: on Windows, run it in WSL"
            raise click.ClickException(message) from error
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; where there is none of that name, say which is meant.

        Raises:
            click.UsageError: there is none.

        """
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from spokerender.findings.phrasing import did_you_mean  # noqa: PLC0415  (start-up counts)

            hint = did_you_mean(args[0], COMMANDS, "there are")
            message = f'no command "{args[0]}"; {hint}'
            raise click.UsageError(message, ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing one."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="spokerender")
def cli() -> None:
    """Render a hub's Gateway API policies into one manifest tree per spoke cluster.

    A project is a folder with hub/ and placement.yaml, and perhaps a fleet.yaml. Every command
    takes the folder, or works in the current one.

    Exit status: 0 done or nothing to tell, 1 stale, different or a failed check, 2 wrong input,
    3 our own fault.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    A run makes objects and ends: neither looking for cycles among them nor freeing them one by
    one at the end is worth its time, which for a large fleet is a tenth of the whole.
    """
    gc.disable()
    _open_streams()
    status = run(arguments)
    with contextlib.suppress(OSError):  # nobody reads any more
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    from spokerender.findings.phrasing import few_suggestions  # noqa: PLC0415  (start-up counts)

    try:
        _refuse_nul(arguments or ())
        with few_suggestions():
            return _status(cli.main(args=arguments, prog_name="spokerender", standalone_mode=False))
    except (KeyboardInterrupt, click.exceptions.Abort):
        return EXIT_INTERRUPTED
    except SystemExit as ended:  # click ends so what has been completed, or has no reader any more
        return 0 if ended.code == 0 else EXIT_WRONG_INPUT
    except Exception as error:  # noqa: BLE001  (whatever is not the user's to mend is our fault)
        with contextlib.suppress(OSError):  # nobody can be told; the status says it
            _tell(error)
        return EXIT_WRONG_INPUT if _is_mendable(error) else EXIT_OUR_FAULT


def _refuse_nul(arguments: Sequence[str]) -> None:
    """Refuse what no system lets pass, and what Python's own functions throw at."""
    if any("\0" in each for each in arguments):
        message = "an argument can't have a NUL in it"
        raise click.UsageError(message)


def _open_streams() -> None:
    """Put something where a standard stream is closed, so that no file of ours gets its number.

    What would be printed on a closed standard output can't be: that is told, as for a full disk.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # gets the lowest number that is free
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (a number)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (a number)


def _is_mendable(error: Exception) -> bool:
    return isinstance(error, click.ClickException | RenderError) or _is_of_stream(error)


def _is_of_stream(error: Exception) -> bool:
    """Whether a standard stream took no more: what befalls a file is a `DiskError` or names it."""
    if not isinstance(error, OSError) or error.filename is not None:
        return False
    return error.errno in {EBADF, EDQUOT, EFBIG, EIO, ENOSPC, EPIPE}


def _tell(error: Exception) -> None:
    """Say what ended the command."""
    from spokerender.report.terminal import printable  # noqa: PLC0415  (start-up counts)

    match error:
        case click.ClickException():
            shown = io.StringIO()
            error.show(shown)
            click.echo(printable(shown.getvalue()), err=True, nl=False)
        case RenderError():
            click.echo(printable(f"spokerender: {error}"), err=True)
        case BrokenPipeError():
            pass
        case OSError() if _is_of_stream(error):
            message = f"spokerender: what was to be printed can't be: {error.strerror}"
            click.echo(message, err=True)
        case _:
            _tell_fault(error)


def _status(value: Any) -> int:  # noqa: ANN401  (whatever a command returned)
    return value if isinstance(value, int) else 0


def _tell_fault(error: Exception) -> None:
    """One paragraph, and where the traceback is."""
    import tempfile  # noqa: PLC0415  (start-up counts, and this is rare)
    import traceback  # noqa: PLC0415

    with tempfile.NamedTemporaryFile(
        "w", prefix="spokerender-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(f"spokerender {__version__}, Python {sys.version}\n{sys.argv}\n")
        traceback.print_exception(error, file=file)
    click.echo(
        "spokerender: this is a fault of spokerender, not of your input; nothing that was not "
        f"finished is in place. Please report it with the traceback in {Path(file.name)}.",
        err=True,
    )
