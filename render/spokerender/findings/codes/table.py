"""All kinds of findings, collected from their modules. A new hundred of codes is one line here.

It is a separate module as a build needs few of them.
"""

from collections.abc import Mapping
from types import ModuleType

from spokerender.findings.codes import (
    advice,
    attachment,
    hub,
    metapolicies,
    placement,
    project,
    publishing,
    review,
    shipping,
)
from spokerender.findings.results import FindingKind

_SUBJECTS: Mapping[str, tuple[ModuleType, str]] = {
    "SR10": (hub, "The hub's files and objects"),
    "SR11": (project, "Our own files"),
    "SR12": (project, "Files and folders"),
    "SR13": (placement, "What is synced"),
    "SR14": (placement, "Placement"),
    "SR15": (shipping, "Shipping and retargeting"),
    "SR16": (shipping, "Overrides"),
    "SR17": (attachment, "A spoke's topology"),
    "SR18": (shipping, "Delivery"),
    "SR19": (shipping, "Deletions"),
    "SR20": (project, "Arguments"),
    "SR21": (attachment, "Attachment"),
    "SR22": (advice, "Advice"),
    "SR23": (attachment, "Validation"),
    "SR24": (project, "Suppressions"),
    "SR25": (review, "Consequences of a change"),
    "SR26": (review, "Rollouts"),
    "SR27": (publishing, "Publishing"),
    "SR28": (metapolicies, "Metapolicies"),
    "SR29": (review, "Exports of spokes"),
    "SR30": (project, "Beginning"),
    "SR31": (review, "Tests of requests"),
}
"""The beginning of each hundred of codes, with its module and title."""

HUNDREDS: Mapping[str, tuple[FindingKind, ...]] = {
    title: tuple(
        sorted(
            (
                kind
                for kind in vars(module).values()
                if isinstance(kind, FindingKind) and kind.code.startswith(hundred)
            ),
            key=lambda kind: kind.code,
        )
    )
    for hundred, (module, title) in _SUBJECTS.items()
}
"""All kinds of findings by subject, in the order of their codes."""

FINDING_KINDS = tuple(kind for kinds in HUNDREDS.values() for kind in kinds)
"""All kinds of findings, sorted by code."""
