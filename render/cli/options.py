"""Options and arguments that commands share, in the words of kubectl and kustomize."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

folder: Decorator = click.argument(
    "folder", metavar="[DIR]", default=".", type=click.Path(exists=True, file_okay=False)
)
output: Decorator = click.option(
    "-o", "--output", metavar="PATH", help="The output folder; what fleet.yaml says if left out."
)
text_or_json: Decorator = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print.",
)
strict: Decorator = click.option("--strict", is_flag=True, help="Treat warnings as errors.")
verbose: Decorator = click.option("-v", "--verbose", is_flag=True, help="Tell infos too.")
