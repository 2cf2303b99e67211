"""What is synced: SR13xx."""

from __future__ import annotations

from render.results import ERROR, INFO, Rule

NO_SYNC_LIST = Rule("SR1301", ERROR, "nothing says which policy kinds to sync")
BAD_PARAMETERS = Rule("SR1302", ERROR, "a GatewayClass's parameters can't be used")
FOREIGN_PARAMETERS = Rule(
    "SR1303", INFO, "a GatewayClass's parameters belong to another controller"
)
UNKNOWN_KIND = Rule("SR1304", ERROR, "a kind to sync that nobody knows")
ASSUMED_SHAPE = Rule("SR1305", INFO, "the references of an unknown kind were found by structure")
CLASS_UNCHANGED = Rule("SR1306", ERROR, "a class with sync parameters would end up on a spoke")
UNKNOWN_CLASS = Rule("SR1307", ERROR, "a Gateway names a GatewayClass that is not in the hub")

RULES = (
    NO_SYNC_LIST,
    BAD_PARAMETERS,
    FOREIGN_PARAMETERS,
    UNKNOWN_KIND,
    ASSUMED_SHAPE,
    CLASS_UNCHANGED,
    UNKNOWN_CLASS,
)
