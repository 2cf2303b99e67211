"""`spokerender schema`: print the JSON Schema of the project's own files, or of a report."""

import json

import click

from spokerender.wings import combined

_FILES, _REVIEW, _ASK = "files", "review", "ask"


@click.command("schema")
@click.argument("subject", type=click.Choice([_FILES, _REVIEW, _ASK]), default=_FILES)
def schema(subject: str) -> None:
    """Print the JSON Schema of fleet.yaml, placement.yaml and the other files of a project.

    Editors check the files with it: save it next to them, and begin each file with the line

    # yaml-language-server: $schema=schema.json

    `schema review` prints that of what `review --format json` prints, `schema ask` that of `ask`.
    """
    if subject == _REVIEW:
        from spokerender.report.review_document import build_review_schema  # noqa: PLC0415  (start-up counts)

        printed = build_review_schema()
    elif subject == _ASK:
        from spokerender.report.asking import build_ask_schema  # noqa: PLC0415  (as above)

        printed = build_ask_schema()
    else:
        printed = combined.build_schema()
    click.echo(json.dumps(printed, indent=2, ensure_ascii=False))
