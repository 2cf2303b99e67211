"""A review as JSON, and the schema that is published for it."""

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings, strategies as st

from spokerender.findings.results import Severity
from spokerender.report.review_document import build_review_schema
from tests.support.profiles import examples
from tests.support.reviews import consequence, difference, printed, review, whole


def valid(text: str) -> dict[str, Any]:
    """The document, which the schema takes."""
    document = json.loads(text)
    schema = build_review_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    return dict(document)


def test_a_whole_review_is_of_the_schema() -> None:
    document = valid(printed(whole(), "json"))
    assert set(document) == set(build_review_schema()["$defs"]["ReviewDocument"]["properties"])
    (first, *_) = document["consequences"]
    assert first["resourceRef"]["kind"] == "AuthPolicy"
    assert first["file"] == {"path": "hub/nobody is asked any more.yaml", "line": 3}
    assert len(first["spokes"]) == 6


@settings(max_examples=examples(20, house=6), deadline=None)
@given(st.text(min_size=1, max_size=20), st.sampled_from(Severity))
def test_any_text_is_of_the_schema(text: str, severity: Severity) -> None:
    report = review([consequence(text, severity, ["s0000"])], [difference(text)])
    (item,) = valid(printed(report, "json"))["consequences"]
    assert item["severity"] == severity


def test_a_member_that_is_not_documented_is_refused() -> None:
    document = valid(printed(whole(), "json")) | {"other": 1}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, build_review_schema())
