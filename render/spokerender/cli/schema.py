"""`spokerender schema`: print the JSON Schema of the project's own files, for editors."""

import json

import click

from spokerender.wings import combined


@click.command("schema")
def schema() -> None:
    """Print the JSON Schema of fleet.yaml, placement.yaml and the other files of a project.

    Editors check the files with it: save it next to them, and begin each file with the line

    # yaml-language-server: $schema=schema.json
    """
    click.echo(json.dumps(combined.build_schema(), indent=2, ensure_ascii=False))
