"""Every kind of finding, with its stable code: a module for each hundred.

The rules that building shares are here by name. `render.findings.codes.table` has all there are.
"""

from __future__ import annotations

from render.findings.codes.deletions import (
    DELETION,
    STALE_ACKNOWLEDGEMENT,
    UNKNOWN_DELETION,
)
from render.findings.codes.delivery import (
    BAD_DELIVERY,
)
from render.findings.codes.hub import (
    BAD_NAME,
    DUPLICATE,
    EMPTY_HUB,
    MALFORMED_REFERENCE,
    MISSING_TARGET,
    NO_NAMESPACE,
    NOT_AN_OBJECT,
    SKIPPED_FILE,
    UNREADABLE,
)
from render.findings.codes.overriding import (
    OVERRIDE_FAILED,
    OVERRIDE_FORBIDDEN,
    OVERRIDE_UNUSED,
)
from render.findings.codes.placement import (
    BAD_TEMPLATE,
    BAD_VALUE,
    EMPTY_SELECTION,
    EMPTY_SPOKE,
    NO_GATEWAY,
    NO_SPOKE,
    PLACED_TWICE,
    UNPLACED_GATEWAY,
)
from render.findings.codes.shipping import (
    ENTRY_DROPPED,
    FREE_STRING,
    GATEWAYS_COLLAPSE,
    HOSTNAME_CONFLICT,
    IDENTITY_TWICE,
    LOCAL_TARGETS_APART,
    NAMESPACE_UNSAYABLE,
    NOT_SHIPPED,
    TARGET_ON_SPOKE,
    UNLISTED_POLICY,
    UNPRINTABLE,
)
from render.findings.codes.spoke import (
    DANGLING,
    DUPLICATE_TARGET,
    HOSTNAME_OUTSIDE,
    MISSING_SECTION,
    NO_GRANT,
    NOT_ADMITTED,
)
from render.findings.codes.suppressions import STALE_SUPPRESSION
from render.findings.codes.sync import (
    ASSUMED_SHAPE,
    BAD_PARAMETERS,
    CLASS_UNCHANGED,
    FOREIGN_PARAMETERS,
    NO_SYNC_LIST,
    UNKNOWN_CLASS,
    UNKNOWN_KIND,
    UNUSED_POLICY_KIND,
)

__all__ = [
    "ASSUMED_SHAPE",
    "BAD_DELIVERY",
    "BAD_NAME",
    "BAD_PARAMETERS",
    "BAD_TEMPLATE",
    "BAD_VALUE",
    "CLASS_UNCHANGED",
    "DANGLING",
    "DELETION",
    "DUPLICATE",
    "DUPLICATE_TARGET",
    "EMPTY_HUB",
    "EMPTY_SELECTION",
    "EMPTY_SPOKE",
    "ENTRY_DROPPED",
    "FOREIGN_PARAMETERS",
    "FREE_STRING",
    "GATEWAYS_COLLAPSE",
    "HOSTNAME_CONFLICT",
    "HOSTNAME_OUTSIDE",
    "IDENTITY_TWICE",
    "LOCAL_TARGETS_APART",
    "MALFORMED_REFERENCE",
    "MISSING_SECTION",
    "MISSING_TARGET",
    "NAMESPACE_UNSAYABLE",
    "NOT_ADMITTED",
    "NOT_AN_OBJECT",
    "NOT_SHIPPED",
    "NO_GATEWAY",
    "NO_GRANT",
    "NO_NAMESPACE",
    "NO_SPOKE",
    "NO_SYNC_LIST",
    "OVERRIDE_FAILED",
    "OVERRIDE_FORBIDDEN",
    "OVERRIDE_UNUSED",
    "PLACED_TWICE",
    "SKIPPED_FILE",
    "STALE_ACKNOWLEDGEMENT",
    "STALE_SUPPRESSION",
    "TARGET_ON_SPOKE",
    "UNKNOWN_CLASS",
    "UNKNOWN_DELETION",
    "UNKNOWN_KIND",
    "UNLISTED_POLICY",
    "UNPLACED_GATEWAY",
    "UNPRINTABLE",
    "UNREADABLE",
    "UNUSED_POLICY_KIND",
]
