"""The case of words. Source: sprig's strings.go and huandu/xstrings v1.3, by their examples."""

from __future__ import annotations

import re

from spokerender.wings.publishing.gotemplates.rows import Function

_BEGINNING = re.compile(r"(?:\A|(?<=[\x00-/:-@\[-^`{-\x7f])|(?<=\s))\w")
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])")


def _title(text: str) -> str:
    """Each letter that begins a word in upper case, as Go's `strings.Title` finds them."""
    return _BEGINNING.sub(lambda found: found[0].upper(), text)


def _joined(text: str, by: str) -> str:
    """The words of `CronTab`, `HTTPServer` or `a_b c` in lower case, with a sign between."""
    return re.sub(r"[\s_\-]", by, _SEAM.sub(by, text)).lower()


def _camel(text: str) -> str:
    """`some_words` as `SomeWords`; signs at the beginning stay."""
    start = re.match(r"[_\-.\s]*", text)
    lead = start[0] if start else ""
    return lead + re.sub(
        r"(?:^|[_\-.\s]+)(.)", lambda found: found[1].upper(), text[len(lead) :].lower()
    )


FUNCTIONS = (
    Function("title", _title, ("string",)),
    Function("untitle", lambda text: text[:1].lower() + text[1:], ("string",)),
    Function("kebabcase", lambda text: _joined(text, "-"), ("string",)),
    Function("snakecase", lambda text: _joined(text, "_"), ("string",)),
    Function("camelcase", _camel, ("string",)),
)
