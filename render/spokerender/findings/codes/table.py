"""All kinds of findings there are, read off their modules. A new hundred is one line here.

Apart from the rest, since a build needs few of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from spokerender.findings.codes import (
    adopting,
    advice,
    arguments,
    attachment,
    deletions,
    delivery,
    disk,
    hub,
    metapolicies,
    overriding,
    placement,
    project,
    publishing,
    shipping,
    spoke,
    suppressions,
    sync,
    validation,
)
from spokerender.findings.results import FindingKind


def _of(module: ModuleType) -> tuple[FindingKind, ...]:
    """The kinds of findings that a module defines, sorted by code."""
    defined = (value for value in vars(module).values() if isinstance(value, FindingKind))
    return tuple(sorted(defined, key=lambda kind: kind.code))


HUNDREDS: Mapping[str, tuple[FindingKind, ...]] = {
    "The hub's files and objects": _of(hub),
    "Our own files": _of(project),
    "Files and folders": _of(disk),
    "What is synced": _of(sync),
    "Placement": _of(placement),
    "Shipping and retargeting": _of(shipping),
    "Overrides": _of(overriding),
    "A spoke's topology": _of(spoke),
    "Delivery": _of(delivery),
    "Deletions": _of(deletions),
    "Arguments": _of(arguments),
    "Attachment": _of(attachment),
    "Advice": _of(advice),
    "Validation": _of(validation),
    "Suppressions": _of(suppressions),
    "Publishing": _of(publishing),
    "Metapolicies": _of(metapolicies),
    "Beginning": _of(adopting),
}
"""All of them by what they are about, in the order of their codes: one line for each hundred."""

FINDING_KINDS: tuple[FindingKind, ...] = tuple(
    kind for kinds in HUNDREDS.values() for kind in kinds
)
"""All of them, sorted by code."""
