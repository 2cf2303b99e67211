"""Our own files, fleet.yaml and the placement: SR11xx."""

from __future__ import annotations

from render.results import ERROR, Rule

UNREADABLE_FILE = Rule("SR1101", ERROR, "a file of ours is not YAML")
WRONG_DOCUMENT = Rule("SR1102", ERROR, "a document is not the one that belongs there")
UNKNOWN_KEY = Rule("SR1103", ERROR, "a key that our files do not have")
MISSING_KEY = Rule("SR1104", ERROR, "a key that must be there is not")
INVALID_VALUE = Rule("SR1105", ERROR, "a value that its key can't have")
OTHER_VERSION = Rule("SR1106", ERROR, "the project asks for another version of the tool")
DUPLICATE_NAME = Rule("SR1107", ERROR, "two placements or spokes have one name")

RULES = (
    UNREADABLE_FILE,
    WRONG_DOCUMENT,
    UNKNOWN_KEY,
    MISSING_KEY,
    INVALID_VALUE,
    OTHER_VERSION,
    DUPLICATE_NAME,
)
