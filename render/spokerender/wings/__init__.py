"""The table of wings. To add one: a package here with its `WING`, and its name below."""

from functools import cache
from importlib import import_module

from spokerender.wings.wing import Wing

NAMES = ("publishing", "metapolicies", "delivery")
"""In the order in which they contribute: a metapolicy may read what publishing copies."""


@cache
def load_wings() -> tuple[Wing, ...]:
    """Import the packages of all wings, and return the value of each."""
    return tuple(import_module(f"{__name__}.{name}").WING for name in NAMES)
