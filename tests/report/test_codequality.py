"""Findings as a code quality report of GitLab."""

import json

from spokerender.findings.results import Severity
from tests.support.reviews import consequence, printed, review


def entries(*texts: str) -> list[dict[str, object]]:
    """The entries for consequences with these texts."""
    items = [consequence(text, Severity.WARNING, ["s0000"]) for text in texts]
    return list(json.loads(printed(review(items), "codequality")))


def test_an_entry_has_what_gitlab_requires() -> None:
    (entry,) = entries("it opens")
    assert len(str(entry.pop("fingerprint"))) == 64
    assert entry == {
        "description": "it opens; on s0000; it opens",
        "check_name": "SR1909",
        "severity": "major",
        "location": {"path": "hub/it opens.yaml", "lines": {"begin": 3}},
    }


def test_a_fingerprint_stays_with_its_finding() -> None:
    one, two = entries("a", "b")
    again, *_ = entries("a")
    assert one["fingerprint"] == again["fingerprint"] != two["fingerprint"]
