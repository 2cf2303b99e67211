"""Budgets that refuse the input with a finding."""

from spokerender.findings.errors import InputError
from spokerender.findings.results import FindingKind
from spokerender.model.budget import Budget, BudgetSpentError
from spokerender.model.refs import Ref


class InputBudget(Budget):
    """A budget for work that all of an input shares: there is no output once it is spent."""

    __slots__ = ("_cure", "_finding")

    def __init__(self, limit: int, finding: FindingKind, cure: str) -> None:
        """Prepare; `finding` and `cure` are for users who need more steps."""
        super().__init__(limit)
        self._finding, self._cure = finding, cure

    def spend(self, amount: int, place: str, ref: Ref | None = None) -> None:
        """Take steps for work that begins now, as `Budget.spend` does.

        Raises `InputError` if there are not as many steps left; its finding names `place`, and the
        object.
        """
        try:
            super().spend(amount, place)
        except BudgetSpentError as error:
            finding = self._finding.result(str(error), cure=self._cure, resource=ref)
            raise InputError((finding,)) from None
