"""Kinds: what is special about each, and references read accordingly. Pure; raises on no data.

The table (`render.kinds.table`) is data; everything that a stage asks about a kind is here.
"""

from __future__ import annotations

from render.kinds.catalogue import Catalogue
from render.kinds.configured import ConfiguredKind
from render.kinds.edits import REMOVE, Edits, edited, read
from render.kinds.grants import Grant, grant
from render.kinds.kind import (
    Kind,
    Merge,
    Merging,
    NamespaceRule,
    Need,
    Process,
    ReferencePath,
    Role,
    Ties,
)
from render.kinds.malformed import malformed
from render.kinds.needs import Requirement, needs
from render.kinds.paths import found
from render.kinds.references import Reference, references
from render.kinds.selectors import EVERYTHING, Expression, LabelSelector, TargetSelector

__all__ = [
    "EVERYTHING",
    "REMOVE",
    "Catalogue",
    "ConfiguredKind",
    "Edits",
    "Expression",
    "Grant",
    "Kind",
    "LabelSelector",
    "Merge",
    "Merging",
    "NamespaceRule",
    "Need",
    "Process",
    "Reference",
    "ReferencePath",
    "Requirement",
    "Role",
    "TargetSelector",
    "Ties",
    "edited",
    "found",
    "grant",
    "malformed",
    "needs",
    "read",
    "references",
]
