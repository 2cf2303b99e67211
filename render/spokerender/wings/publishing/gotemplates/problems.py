"""What is wrong with a template, or came out while it was carried out."""

from __future__ import annotations


class TemplateProblem(Exception):  # noqa: N818  (a finding about the template, not a fault of ours)
    """A template can't be read or carried out; the text says why."""


class MissingValueProblem(TemplateProblem):
    """A value that is not there would have been printed."""
