"""Errors that users can fix; any other exception is a crash and exits 3."""

from spokerender.findings.results import FindingKind, Result
from spokerender.model.budget import Budget, BudgetSpentError
from spokerender.model.refs import Ref


class RenderError(Exception):
    """An error that the user can fix: reported without a traceback, exit 2."""


class InputError(RenderError):
    """The input is invalid; carries every problem, not only the first.

    `spokes` is the number of spokes in the fleet, where it is known.
    """

    def __init__(self, results: tuple[Result, ...], spokes: int | None = None) -> None:
        super().__init__(f"{len(results)} problems in the input")
        self.results, self.spokes = results, spokes


class DiskError(RenderError):
    """A disk error: full, read-only, locked by another build."""


class GitError(RenderError):
    """The folder is not in a Git repository, or the revision is not in it."""


class NothingCommittedError(GitError):
    """There is no repository, or none with a commit in it."""


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
