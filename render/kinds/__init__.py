"""Kinds: what is special about each, and references read accordingly. Pure; raises on no data.

The table (`render.kinds.table`) is data; everything that a stage asks about a kind is here.
"""

from __future__ import annotations

from render.kinds.catalogue import Catalogue
from render.kinds.configured import ConfiguredKind
from render.kinds.controllers import Ancestors, Controller, Reports, Sections
from render.kinds.edits import REMOVE, Edits, edited, read
from render.kinds.grants import Grant, grant
from render.kinds.kind import Kind, NamespaceRule, ReferencePath, Role, Targetless
from render.kinds.malformed import crowded, malformed
from render.kinds.merging import Merge, Merging, Process, Several, Ties
from render.kinds.need import Need
from render.kinds.needs import Requirement, crossings, needed, needs
from render.kinds.paths import found
from render.kinds.reference import Reference
from render.kinds.references import references
from render.kinds.selectors import TargetSelector
from render.kinds.words import words

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
    "words",
]
