"""`spokerender schema`: the JSON Schema of our own files, for editors."""

from __future__ import annotations

import json

import click

from spokerender.wings.combined import schema


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of fleet.yaml, placement.yaml and publishing files.

    Save it beside the files and name it in their first line for an editor:
    `# yaml-language-server: $schema=schema.json`
    """
    click.echo(json.dumps(schema(), indent=2, ensure_ascii=False))
