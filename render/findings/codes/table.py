"""All rules there are. A module with a new hundred is one line here.

Apart from the rest, since a build needs few of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from render.findings.codes import (
    advice,
    arguments,
    attachment,
    deletions,
    delivery,
    disk,
    hub,
    overriding,
    placement,
    project,
    shipping,
    spoke,
    suppressions,
    sync,
    validation,
)
from render.findings.results import Rule

HUNDREDS: Mapping[str, tuple[Rule, ...]] = {
    "The hub's files and objects": hub.RULES,
    "Our own files": project.RULES,
    "Files and folders": disk.RULES,
    "What is synced": sync.RULES,
    "Placement": placement.RULES,
    "Shipping and retargeting": shipping.RULES,
    "Overrides": overriding.RULES,
    "A spoke's topology": spoke.RULES,
    "Delivery": delivery.RULES,
    "Deletions": deletions.RULES,
    "Arguments": arguments.RULES,
    "Attachment": attachment.RULES,
    "Advice": advice.RULES,
    "Validation": validation.RULES,
    "Suppressions": suppressions.RULES,
}
"""All rules by what they are about, in the order of their codes: one line for each hundred."""

RULES: tuple[Rule, ...] = tuple(rule for rules in HUNDREDS.values() for rule in rules)
"""All rules, sorted by code."""
