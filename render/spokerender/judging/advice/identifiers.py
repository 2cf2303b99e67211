"""How Limitador calls a limit: the identity of its counters in a store.

kuadrant-operator, `LimitNameToLimitadorIdentifier`.
"""

from __future__ import annotations

import hashlib

_HASHED = 4
"""How many bytes of the hash are kept."""


def identifier(prefix: str, namespace: str, policy: str, limit: str) -> str:
    """The identifier of a limit; its hash is over the names as they are."""
    parts = "".join(
        char if char.isalpha() or char.isdecimal() or char == "_" else "_" for char in limit
    )
    digest = hashlib.sha256(f"{namespace}/{policy}/{limit}".encode()).digest()
    return f"{prefix}{parts}__{digest[:_HASHED].hex()}"
