"""Kinds: what is special about each, and references read accordingly. Pure; raises on no data.

The table (`spokerender.kinds.table`) is data; everything that a stage asks about a kind is here.
"""

from __future__ import annotations

from spokerender.kinds.catalogue import Catalogue, ConfiguredKind
from spokerender.kinds.columns import Need
from spokerender.kinds.compared import compared_texts
from spokerender.kinds.controllers import Ancestors, Controller, Reports, Sections
from spokerender.kinds.fields import REMOVE, Edits, edited, found, read
from spokerender.kinds.kind import Kind, NamespaceRule, ReferencePath, Role, Targetless
from spokerender.kinds.malformed import crowded, malformed
from spokerender.kinds.merging import Merge, Merging, Process, Several, Ties
from spokerender.kinds.needs import Requirement, crossings, needed, needs
from spokerender.kinds.reference import Grant, Reference, TargetSelector, grant
from spokerender.kinds.references import references

__all__ = [
    "REMOVE",
    "Ancestors",
    "Catalogue",
    "ConfiguredKind",
    "Controller",
    "Edits",
    "Grant",
    "Kind",
    "Merge",
    "Merging",
    "NamespaceRule",
    "Need",
    "Process",
    "Reference",
    "ReferencePath",
    "Reports",
    "Requirement",
    "Role",
    "Sections",
    "Several",
    "TargetSelector",
    "Targetless",
    "Ties",
    "compared_texts",
    "crossings",
    "crowded",
    "edited",
    "found",
    "grant",
    "malformed",
    "needed",
    "needs",
    "read",
    "references",
]
