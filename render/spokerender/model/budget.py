"""A limit for work that grows as a product of what users write, such as rules times spokes."""


class BudgetSpentError(Exception):
    """More work is needed than a budget allows; the message names the work that exceeded it."""


class Budget:
    """A limit on the work for an input, counted in steps while the work is done.

    Each caller defines its own step: a value that is copied, say, or a character that is read. The
    limit should grow with the number of objects and spokes, so that it is fair to large fleets. A
    budget refuses, within seconds, input that would take minutes or gigabytes.
    """

    __slots__ = ("limit", "spent")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0

    def spend(self, amount: int, place: str) -> None:
        """Count `amount` steps for work that begins now.

        `place` names the work, as a phrase that "takes more than the limit" can follow.

        Raises `BudgetSpentError` if more steps are counted than the limit allows.
        """
        self.spent += amount
        if self.spent > self.limit:
            raise BudgetSpentError(f"{place} takes more than the limit of {self.limit:,} steps")

    def refill(self) -> None:
        """Set the counted steps back to 0, for another input."""
        self.spent = 0
