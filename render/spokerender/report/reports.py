"""What the commands have to report, as values; `report.formats` has how each is printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct

from spokerender.findings.words import count, listed

if TYPE_CHECKING:  # start-up counts: a command needs one of them
    from spokerender.explain.answers import InForce, PolicyStatus, Question
    from spokerender.explain.model import Explanation
    from spokerender.findings.examples import Examples
    from spokerender.findings.results import Result
    from spokerender.judging.fleet.judged import Unvalidated
    from spokerender.model.plan import Plan
    from spokerender.rendering.values.metapolicies import Answer, Known
    from spokerender.rendering.values.rendered import ConsumerStatus, Rendered
    from spokerender.review.differences import Difference


class Look(Struct, frozen=True):
    """For whom a report is printed: a terminal or not, how wide, and whether infos are wanted."""

    color: bool = False
    verbose: bool = False
    width: int = 100


class Report(Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """What every report has: findings, a note on the side, the status that its command exits with.

    `spokes` is how many spokes there are, so that "all" can be said.
    """

    results: Sequence[Result] = ()
    spokes: int | None = None
    note: str = ""
    status: int = 0
    is_account: ClassVar[bool] = False
    """Whether it tells what was done or found, which whoever wants quiet knows by the status."""

    @property
    def reminder(self) -> str:
        """What a status alone would hide, told to whoever wants quiet as well."""
        return ""


class Findings(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """Nothing but findings: those that refuse a command, say."""


class BuildReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """What a build did to its output."""

    is_account = True
    plan: Plan
    output: PurePath


class WrittenReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """What a command wrote of the files that people own, and how many were right already.

    `created` and `updated` are paths, as the user would type them; `follows` is what that leads to,
    and `next_steps` is what to run now.
    """

    is_account = True
    created: Sequence[str] = ()
    updated: Sequence[str] = ()
    unchanged: int = 0
    follows: Sequence[str] = ()
    next_steps: Sequence[str] = ()


class ArtifactLine(Struct, frozen=True, kw_only=True):
    """A spoke's artifact: where it is, its digest, and whether the registry had it already.

    `is_new` is None where nobody asked the registry.
    """

    spoke: str
    repository: str
    tags: Sequence[str]
    digest: str
    is_new: bool | None = None


class PushReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The artifacts that were pushed, or would be; none where a check refuses."""

    is_account = True
    lines: Sequence[ArtifactLine] = ()


class SpokeLine(Struct, frozen=True, kw_only=True):
    """A spoke in a few words: where it is declared, by which labels, and how much it gets."""

    name: str
    labels: Mapping[str, str]
    gateways: Sequence[str]
    objects: int
    place: str


class SpokesReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The spokes that there are."""

    lines: Sequence[SpokeLine]


class CheckReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """What a check found; `plan` and `differences` are the tree's, None where it was not compared.

    `asked` are the words for what was checked, `unvalidated` the kinds that could not be.
    """

    is_account = True
    asked: Sequence[str]
    rendered: Rendered
    output: PurePath
    plan: Plan | None = None
    differences: Sequence[Difference] = ()
    unvalidated: Sequence[Unvalidated] = ()

    @property
    def reminder(self) -> str:
        """What was not validated, and the command that gives what it takes."""
        if not self.unvalidated:
            return ""
        objects, kinds = sum(each.objects for each in self.unvalidated), len(self.unvalidated)
        named = listed(each.kind for each in self.unvalidated)
        crds = " ".join(each.crd for each in self.unvalidated)
        return (
            f"not validated: {count(objects, 'object')} of {count(kinds, 'kind')} without a CRD: "
            f"{named}\n"
            f"  kubectl get crds {crds} -o yaml | spokerender crds add -\n"
        )


class DiffReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """What differs from what is committed."""

    differences: Sequence[Difference]
    rendered: Rendered


class ExplainReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """Where an object goes, what a spoke gets, or the fleet in numbers."""

    explanation: Explanation


class EffectiveReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """What is in force, of what was asked."""

    answers: Sequence[InForce]
    question: Question


class MetapoliciesReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The definitions of metapolicies, in their order."""

    definitions: Sequence[Known]


class QueryReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """What an expression comes to."""

    answers: Sequence[Answer]


class StatusReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The statuses of policies."""

    statuses: Sequence[PolicyStatus]
    consumers: Sequence[ConsumerStatus] | None = None


class RulesReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """What the findings with these codes mean; with none, all there are."""

    codes: Sequence[str]
    examples: Examples
