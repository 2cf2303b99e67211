"""A spoke's own values in the words of a finding."""

from __future__ import annotations

from msgspec.structs import replace

from spokerender.findings.results import Result
from spokerender.model.slots import Values, fill_ref, fill_text


def fill_result(result: Result, values: Values) -> Result:
    """Put the values into a finding's words, and into the object that it is about."""
    return replace(
        result,
        message=fill_text(result.message, values),
        cure=fill_text(result.cure, values),
        resource=fill_ref(result.resource, values) if result.resource else None,
    )
