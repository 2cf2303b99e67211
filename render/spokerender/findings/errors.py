"""Errors that users can fix; any other exception is a crash, with exit code 3."""

from spokerender.findings.results import FindingKind, Result
from spokerender.model.budget import Budget, BudgetSpentError
from spokerender.model.refs import Ref


class RenderError(Exception):
    """An error that the user can fix: reported without a traceback, with exit code 2."""


class InputError(RenderError):
    """The input is invalid; `results` are all problems, not only the first.

    `spokes` is the number of spokes in the fleet, if known.
    """

    def __init__(self, results: tuple[Result, ...], spokes: int | None = None) -> None:
        super().__init__(f"{len(results)} problems in the input")
        self.results, self.spokes = results, spokes


class DiskError(RenderError):
    """A disk error: the disk is full or read-only, or another build has locked the output."""


class GitError(RenderError):
    """The folder is not in a Git repository, or the revision is not in it."""


class NothingCommittedError(GitError):
    """There is no repository, or it has no commit."""


class InputBudget(Budget):
    """A budget for work on the whole input; if it is exceeded, there is no output."""

    __slots__ = ("_cure", "_finding")

    def __init__(self, limit: int, finding: FindingKind, cure: str) -> None:
        """Start a budget of `limit` steps; the error has a `finding` with the fix `cure`."""
        super().__init__(limit)
        self._finding, self._cure = finding, cure

    def spend(self, amount: int, place: str, ref: Ref | None = None) -> None:
        """Count `amount` steps for work that begins now, as `Budget.spend` does.

        Raises `InputError` if the limit is exceeded. Its finding is about the object `ref`, and
        says where the work was (`place`).
        """
        try:
            super().spend(amount, place)
        except BudgetSpentError as error:
            finding = self._finding.result(str(error), cure=self._cure, resource=ref)
            raise InputError((finding,)) from None
