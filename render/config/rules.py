"""What can be wrong with our own files: every rule, with its stable code."""

from __future__ import annotations

from render.results import Rule, Severity

UNREADABLE_FILE = Rule("SR1101", Severity.ERROR, "a file of ours is not YAML")
WRONG_DOCUMENT = Rule("SR1102", Severity.ERROR, "a document is not the one that belongs there")
UNKNOWN_KEY = Rule("SR1103", Severity.ERROR, "a key that our files do not have")
MISSING_KEY = Rule("SR1104", Severity.ERROR, "a key that must be there is not")
INVALID_VALUE = Rule("SR1105", Severity.ERROR, "a value that its key can't have")
OTHER_VERSION = Rule("SR1106", Severity.ERROR, "the project asks for another version of the tool")
DUPLICATE_NAME = Rule("SR1107", Severity.ERROR, "two placements or spokes have one name")
