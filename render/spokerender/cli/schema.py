"""`spokerender schema`: print the JSON Schema of the project's own files, or of a report."""

import json

import click

from spokerender.wings import combined

_FILES, _REVIEW = "files", "review"


@click.command("schema")
@click.argument("subject", type=click.Choice([_FILES, _REVIEW]), default=_FILES)
def schema(subject: str) -> None:
    """Print the JSON Schema of fleet.yaml, placement.yaml and the other files of a project.

    Editors check the files with it: save it next to them, and begin each file with the line

    # yaml-language-server: $schema=schema.json

    `schema review` prints that of what `review --format json` prints.
    """
    if subject == _REVIEW:
        from spokerender.report.review_document import build_review_schema  # noqa: PLC0415  (start-up counts)

        printed = build_review_schema()
    else:
        printed = combined.build_schema()
    click.echo(json.dumps(printed, indent=2, ensure_ascii=False))
