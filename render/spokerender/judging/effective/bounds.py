"""How much policies may come to: their rules, on every sort of path, in every order.

A gateway's policy with all the rules that a file has room for, merged into those of all routes,
makes a product; so do policies that all select all routes.
"""

from __future__ import annotations

from collections.abc import Sequence

from spokerender.findings.codes.hub import TOO_MUCH_MERGED
from spokerender.findings.errors import InputError
from spokerender.judging.effective.declared import Declared
from spokerender.kinds import Kind
from spokerender.model import kind_name

MOST = 200_000
"""Rules to look at: of each policy on each sort of path, in each order that may come about."""
MOST_FOR_EACH = 200
"""As many more for each policy of the kind that there is."""


class Allowance:
    """What the policies of one kind have left."""

    def __init__(self, kind: Kind, policies: int) -> None:
        """Start full."""
        self._kind, self._policies = kind, policies
        self._most = self._left = MOST + MOST_FOR_EACH * policies

    def spend(self, stacks: Sequence[Sequence[Declared]]) -> None:
        """Count what comes together where these policies are on a path, in each of their orders.

        Raises:
            InputError: it is more than anybody can look at.

        """
        self._left -= sum(1 + len(block.rules) for stack in stacks for block in stack)
        if self._left < 0:
            kind = kind_name(self._kind.group, self._kind.kind)
            message = (
                f"{self._policies:,} policies of kind {kind} "
                f"come together in too many ways: their rules are met more than {self._most:,} "
                "times"
            )
            cure = (
                "make one policy of several on one target, or let those of a gateway have fewer "
                "rules"
            )
            raise InputError((TOO_MUCH_MERGED.result(message, cure=cure),))
