"""`spokerender schema`: of the project's own files, and of a review."""

import json

from spokerender.report.review_document import build_review_schema
from tests.cli.project import Shell


def test_what_it_prints(empty: Shell) -> None:
    assert json.loads(empty.run("schema", "review").out) == json.loads(
        json.dumps(build_review_schema())
    )
    assert json.loads(empty.run("schema").out) == json.loads(empty.run("schema", "files").out)
