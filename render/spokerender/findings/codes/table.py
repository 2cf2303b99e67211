"""All kinds of findings, collected from their modules. A new hundred is one line here.

It is apart from the rest because a build needs few of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from spokerender.findings.codes import (
    adopting,
    advice,
    attachment,
    hub,
    metapolicies,
    placement,
    project,
    publishing,
    shipping,
    validation,
)
from spokerender.findings.results import FindingKind

MODULES = (
    adopting,
    advice,
    attachment,
    hub,
    metapolicies,
    placement,
    project,
    publishing,
    shipping,
    validation,
)
_TITLES: Mapping[str, str] = {
    "SR10": "The hub's files and objects",
    "SR11": "Our own files",
    "SR12": "Files and folders",
    "SR13": "What is synced",
    "SR14": "Placement",
    "SR15": "Shipping and retargeting",
    "SR16": "Overrides",
    "SR17": "A spoke's topology",
    "SR18": "Delivery",
    "SR19": "Deletions",
    "SR20": "Arguments",
    "SR21": "Attachment",
    "SR22": "Advice",
    "SR23": "Validation",
    "SR24": "Suppressions",
    "SR27": "Publishing",
    "SR28": "Metapolicies",
    "SR30": "Beginning",
}

FINDING_KINDS: tuple[FindingKind, ...] = tuple(
    sorted(
        (
            kind
            for module in MODULES
            for kind in vars(module).values()
            if isinstance(kind, FindingKind)
        ),
        key=lambda kind: kind.code,
    )
)
"""All kinds of findings, sorted by code."""

HUNDREDS: Mapping[str, tuple[FindingKind, ...]] = {
    title: tuple(kind for kind in FINDING_KINDS if kind.code.startswith(hundred))
    for hundred, title in _TITLES.items()
}
"""All kinds of findings by subject, in the order of their codes."""
