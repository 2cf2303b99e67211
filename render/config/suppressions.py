"""Findings that somebody has looked at: no longer errors or warnings, for a reason."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from render.config.base import Model, refuse
from render.config.names import DnsLabel, ObjectName, Text
from render.findings.codes.suppressions import instead_of_suppressing
from render.findings.suggest import did_you_mean


def _suppressible(code: str) -> str:
    from render.findings.codes.table import FINDING_KINDS  # noqa: PLC0415  (few files suppress anything)

    codes = {kind.code for kind in FINDING_KINDS}
    if code not in codes:
        cure = did_you_mean(code, codes) or "spokerender rules lists every code"
        refuse(f'no finding has the code "{code}"', cure)
    instead = instead_of_suppressing(code)
    if instead:
        refuse(f"{code} can't be suppressed", instead)
    return code


class Suppression(Model):
    """A finding about one object that is known and accepted; it is still told, as an info."""

    code: Annotated[Text, AfterValidator(_suppressible)] = Field(
        description="The code of the finding: spokerender rules lists them."
    )
    resource: ObjectName = Field(
        description="The hub object that it is about, as Kind[.group]/[namespace/]name."
    )
    spoke: DnsLabel | None = Field(default=None, description="The spoke; left out: every spoke.")
    reason: Text = Field(description="Why, for whoever reads this later.")
