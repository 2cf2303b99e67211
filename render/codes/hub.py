"""The hub's files and objects: SR10xx."""

from __future__ import annotations

from render.results import ERROR, INFO, Rule

UNREADABLE = Rule("SR1001", ERROR, "a hub file is not YAML as Kubernetes reads it")
NOT_AN_OBJECT = Rule("SR1002", ERROR, "a document is not a Kubernetes object")
DUPLICATE = Rule("SR1003", ERROR, "one identity is defined twice")
EMPTY_HUB = Rule("SR1004", ERROR, "the hub has no object at all")
SKIPPED_FILE = Rule("SR1005", INFO, "a file of another tool lies in the hub and is passed over")
NO_NAMESPACE = Rule("SR1006", INFO, "an object names no namespace and is taken to be in `default`")
BAD_NAME = Rule("SR1007", ERROR, "a name or namespace that the API server would refuse")
MISSING_TARGET = Rule("SR1010", ERROR, "a policy or route names something that is not there")
MALFORMED_REFERENCE = Rule("SR1011", ERROR, "a reference that cannot be understood")

RULES = (
    UNREADABLE,
    NOT_AN_OBJECT,
    DUPLICATE,
    EMPTY_HUB,
    SKIPPED_FILE,
    NO_NAMESPACE,
    BAD_NAME,
    MISSING_TARGET,
    MALFORMED_REFERENCE,
)
