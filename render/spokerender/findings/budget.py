"""A bound for work that grows as a product of what users write, such as rules times spokes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spokerender.findings.errors import InputError

if TYPE_CHECKING:
    from spokerender.findings.results import FindingKind, Result
    from spokerender.model import Ref


class BudgetSpentError(InputError):
    """More work is needed than a budget allows; the text names the place that spent it."""

    def __init__(self, message: str, results: tuple[Result, ...]) -> None:
        """Keep the message; `results` are empty where the budget has no finding of its own."""
        super().__init__(results)
        self.message = message

    def __str__(self) -> str:
        """Return what took too much work, and the limit."""
        return self.message


class Budget:
    """Work that an input may cost, counted in steps while the work is done.

    What a step is depends on who counts: a value that is copied, a character that is read. A limit
    that is honest to large fleets grows with the number of objects and spokes. It is meant to
    refuse, within seconds, input that would take minutes or gigabytes.
    """

    __slots__ = ("_cure", "_finding", "limit", "spent")

    def __init__(self, limit: int, finding: FindingKind | None = None, cure: str = "") -> None:
        """Allow `limit` steps; `finding` and `cure` are for the user who needs more of them."""
        self.limit = limit
        self.spent = 0
        self._finding, self._cure = finding, cure

    @property
    def is_spent(self) -> bool:
        """Whether more steps were asked for than there are."""
        return self.spent > self.limit

    def spend(self, amount: int, place: str, ref: Ref | None = None) -> None:
        """Take steps for work that begins now.

        Args:
            amount: the number of steps.
            place: the work, as a phrase that "takes more than the limit" can follow.
            ref: the object that the work is for.

        Raises:
            BudgetSpentError: there are not as many steps left.

        """
        self.spent += amount
        if self.spent > self.limit:
            message = f"{place} takes more than the limit of {self.limit:,} steps"
            finding, cure = self._finding, self._cure
            results = () if finding is None else (finding.result(message, cure=cure, resource=ref),)
            raise BudgetSpentError(message, results)

    def refill(self) -> None:
        """Forget what was spent: the same work begins anew, for another input."""
        self.spent = 0
