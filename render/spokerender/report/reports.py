"""The reports of commands, as values that name their JSON keys; `formats` converts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct

from spokerender.findings.phrasing import count, joined, listed, on_spokes
from spokerender.findings.results import Result, Severity

if TYPE_CHECKING:  # start-up counts: a command needs one of them
    from spokerender.explain import values
    from spokerender.explain.answered import RequestAnswer, UncoveredRequests
    from spokerender.explain.diagram import Diagram, Picture
    from spokerender.explain.observed.values import ObservedStatus
    from spokerender.findings.examples import CodeMeaning, Examples
    from spokerender.judging.fleet.judged import SchemaGaps
    from spokerender.model.plan import Plan
    from spokerender.model.releases import BundledProduct
    from spokerender.model.rollout import Release, RolloutState, RolloutStatus
    from spokerender.rendering.values.alike import Alike
    from spokerender.rendering.values.decisions import PlacementChange
    from spokerender.rendering.values.metapolicies import Answer, ListedDefinition
    from spokerender.rendering.values.rendered import ConsumerStatus, Rendered
    from spokerender.review.changes.values import Difference
    from spokerender.review.values import Review

SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)
"""The order of findings in every report."""
ACTIONS = {"create": "created", "update": "updated", "delete": "deleted"}
"""The attributes of a plan, each with its key in reports."""
_NAMED = 20


class Look(Struct, frozen=True):
    """The reader of a report: colours, the width of the terminal, and whether infos are shown."""

    color: bool = False
    verbose: bool = False
    width: int = 80
    meanings: Callable[[], Mapping[str, CodeMeaning]] = dict
    documentation: Callable[[], str] = str
    """`meanings` returns the meanings of codes, `documentation` the address of their page or ""."""
    page: Callable[[], Mapping[str, str]] = dict
    """Returns the template, styles and script of a review's page and of pictures."""

    def visible(self, results: Iterable[Result]) -> list[Result]:
        """Return the findings for the reader: infos only with `verbose`."""
        return [item for item in results if self.verbose or item.severity is not Severity.INFO]


class Report(Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """The parts of every report: findings, a note for stderr, the exit status of the command.

    `spokes` is the number of spokes in the fleet, so that a report can say "all". `standing` are
    the findings that `check` reports as well.
    """

    results: Sequence[Result] = ()
    standing: Sequence[Result] = ()
    spokes: int | None = None
    note: str = ""
    status: int = 0
    is_paged: ClassVar[bool] = False
    """True if a report that is longer than the terminal goes to a pager."""
    is_folded: ClassVar[bool] = False
    """True if long lines are folded and indented; nobody copies lines of such a report."""
    is_account: ClassVar[bool] = False
    """True if the report only confirms the exit status, so that `--quiet` leaves it out."""
    subjects: ClassVar[Mapping[str, str]] = {}
    """The attributes with the content of the report, by their JSON keys."""

    @property
    def reminder(self) -> str:
        """Return a text that is printed even with `--quiet`; empty if there is none."""
        return ""

    @property
    def json_members(self) -> Any:  # noqa: ANN401  (a mapping, or a value that names its own keys)
        """Return the members of the JSON report: the attributes in `subjects`, and the findings."""
        subjects = {key: getattr(self, name) for key, name in self.subjects.items()}
        return subjects | ({} if subjects and not self.results else {"results": self.results})

    @property
    def all_results(self) -> Sequence[Result]:
        """Return all findings for formats that print only findings; these include a verdict."""
        return self.results


class FindingsReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """A report that has only findings, such as the findings that refuse a command."""


class BuildReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The changes that a build made to its output."""

    is_account = True
    plan: Plan
    output: PurePath
    needs: Sequence[values.NewNeed] = ()
    rollout: RolloutState | None = None
    moves: Sequence[PlacementChange] = ()

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the findings, the counts, and every folder with its files."""
        return {
            **({"moves": self.moves} if self.moves else {}),
            **({"needs": self.needs} if self.needs else {}),
            **({"waves": self.rollout.members} if self.rollout is not None else {}),
            "results": self.results,
            "output": str(self.output),
            "created": self.plan.created,
            "updated": self.plan.updated,
            "deleted": self.plan.deleted,
            "unchanged": self.plan.unchanged,
            "folders": [
                {"folder": item.folder}
                | {key: paths for way, key in ACTIONS.items() if (paths := getattr(item, way))}
                for item in self.plan.folders
                if item.changes
            ],
        }


class WrittenReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The files of users that a command wrote, and the number of files that were up to date.

    `created` and `updated` are paths as the user would type them, `follows` the consequences of the
    change, and `next_steps` the commands to run now.
    """

    is_account = True
    subjects: ClassVar = {key: key for key in ("created", "updated", "unchanged", "follows")}
    created: Sequence[str] = ()
    updated: Sequence[str] = ()
    unchanged: int = 0
    follows: Sequence[str] = ()
    next_steps: Sequence[str] = ()

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the files, the consequences, and the findings."""
        return {key: it for key, it in super().json_members.items() if it or key != "follows"}


class AdoptionReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The project that was made from clusters: its sizes, and sections of text, drift first."""

    subjects: ClassVar = {key: key for key in ("sizes", "sections")}
    sizes: Mapping[str, int]
    sections: Mapping[str, Sequence[Sequence[str]]]
    next_steps: Sequence[str]


class DeclaredSpoke(Struct, frozen=True, kw_only=True, rename={"place": "declaredAt"}):
    """A spoke with its labels, its gateways, the number of its objects, and its line."""

    name: str
    labels: Mapping[str, str]
    gateways: Sequence[str]
    objects: int
    place: str


class SpokesReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The spokes that the placement declares."""

    subjects: ClassVar = {"spokes": "declared"}
    declared: Sequence[DeclaredSpoke]


class CheckReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The outcome of a check; if no tree was compared, `plan` is None, `differences` are empty.

    `asked` are the names of the checks that ran; `gaps` are the missing CRDs. `tests` are the
    request tests, each with its file; `uncovered` are the guarded requests without a test.
    """

    is_account = True
    asked: Sequence[str]
    rendered: Rendered
    output: PurePath
    plan: Plan | None = None
    differences: Sequence[Difference] = ()
    left_out: Mapping[str, int] = {}
    gaps: SchemaGaps | None = None
    needs: Sequence[values.NewNeed] = ()
    tests: Sequence[tuple[str, str]] = ()
    uncovered: Sequence[UncoveredRequests] | None = None

    @property
    def verdict(self) -> str:
        """Return the verdict on the output, with a suggested fix if it is stale, or ""."""
        if self.plan is None:
            return ""
        if self.plan.is_empty:
            return f"{self.output}: up to date, {count(self.plan.unchanged, 'file')}\n"
        files = count(sum(folder.changes for folder in self.plan.folders), "file")
        return f"{self.output}: stale, {files} would change; run spokerender build\n"

    @property
    def all_results(self) -> Sequence[Result]:
        """Return the findings, and findings for a stale output and its differences."""
        if self.plan is None or self.plan.is_empty:
            return self.results
        from spokerender.report.describing import Describer  # noqa: PLC0415  (start-up counts)

        stale = Describer(self.rendered).list_stale(self.verdict, self.differences)
        return (*self.results, *stale)

    @property
    def reminder(self) -> str:
        """Return the kinds without validation and the command that adds their CRDs, or ""."""
        if self.gaps is None or not self.gaps.unvalidated:
            return ""
        unvalidated = self.gaps.unvalidated
        objects, kinds = sum(kind.objects for kind in unvalidated), len(unvalidated)
        names = listed(kind.kind for kind in unvalidated)
        crds = " ".join(kind.crd for kind in unvalidated)
        return (
            f"not validated: {count(objects, 'object')} of {count(kinds, 'kind')} without a CRD: "
            f"{names}\n"
            f"  kubectl get crds {crds} -o yaml | spokerender crds add -\n"
        )

    @property
    def basis(self) -> str:
        """Return a text about CRDs that a check assumed, and how to choose CRDs; or ""."""
        if self.gaps is None or not self.gaps.assumed:
            return ""
        return (
            f"validated by {joined(release.title for release in self.gaps.assumed)},\n"
            "  the newest CRDs that spokerender has; if the clusters have others, name them\n"
            "  under crds in fleet.yaml (spokerender crds list)\n"
        )


class DiffReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The differences from a committed tree; `left_out` has the number of other files by reason."""

    differences: Sequence[Difference]
    rendered: Rendered
    left_out: Mapping[str, int] = {}
    needs: Sequence[values.NewNeed] = ()


class ExplainReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """An explanation of an object, a spoke, or the fleet."""

    is_folded = True
    explanation: values.Explanation

    @property
    def json_members(self) -> values.Explanation:
        """Return the explanation, which has findings of its own."""
        return self.explanation


class EffectiveReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The effective policies on the paths that a question selects."""

    is_folded = True
    answers: Sequence[Alike[values.EffectiveAnswer]]
    question: values.PathQuestion


class AskReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The answers to `request`, a text that the user wrote.

    `caller` names its caller. If no spoke serves the request, `hint` suggests another. `earlier`
    are the answers in another state, which `against` names.
    """

    is_folded = True
    request: str
    caller: str = "this caller"
    hint: str = ""
    answers: Sequence[Alike[RequestAnswer]]
    against: str = ""
    earlier: Sequence[Alike[RequestAnswer]] = ()


class GraphReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The topology of the hub or of a spoke; `subject` names the hub or the spoke."""

    subjects: ClassVar = {"of": "subject", "diagram": "diagram"}
    subject: str
    diagram: Diagram


class ReviewReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """A review; `earlier` is the fleet before the change; `link` returns the URL of a line."""

    is_paged = True
    review: Review
    rendered: Rendered
    earlier: Rendered | None = None
    pictures: Callable[[], Sequence[Picture]] = tuple
    link: Callable[..., str] = lambda _: ""

    @property
    def all_results(self) -> Sequence[Result]:
        """Return the findings about both sides, the consequences, and newly needed objects."""
        consequences = (item.result for item in (*self.review.consequences, *self.review.needed))
        return (*self.results, *consequences)


class MetapoliciesReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The definitions of metapolicies, in their order."""

    subjects: ClassVar = {"metapolicies": "definitions"}
    definitions: Sequence[ListedDefinition]


class QueryReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The values of an expression."""

    subjects: ClassVar = {"answers": "answers"}
    answers: Sequence[Answer]


class StatusReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The expected statuses of policies, routes and listeners; or the statuses in exports."""

    is_folded = True
    statuses: Sequence[Alike[values.PolicyStatus]]
    routing: Sequence[Alike[values.RoutingStatus]] = ()
    consumers: Sequence[ConsumerStatus] = ()
    observed: Sequence[ObservedStatus] | None = None


class RolloutReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The waves of a rollout, and its progress.

    `statuses` are those that exports of spokes show; `release` has the spokes to release next.
    """

    rollout: RolloutState
    statuses: Sequence[RolloutStatus] = ()
    release: Release | None = None

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the digest of the fleet, the waves, and the findings."""
        state = self.rollout
        return {
            "digest": state.digest,
            "waves": state.members,
            **({"statuses": self.statuses, "release": self.release} if self.release else {}),
            **({"results": self.results} if self.results else {}),
        }


class RulesReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The meanings of the findings with these codes, or of all findings if `codes` is empty."""

    codes: Sequence[str]
    examples: Examples
    meanings: Mapping[str, CodeMeaning]


class CarriedReport(Report, frozen=True, eq=False, kw_only=True, dict=True):
    """The CRDs that the package carries, by product."""

    subjects: ClassVar = {"products": "products"}
    products: Mapping[str, BundledProduct]


def sorted_results(results: Iterable[Result]) -> Sequence[Result]:
    """Return the findings: errors first, then by file and line; findings without a file first."""

    def order(result: Result) -> tuple[Any, ...]:
        place = (result.origin.path, result.origin.line) if result.origin else ("", 0)
        rank = SEVERITIES.index(result.severity)
        return rank, *place, result.code, result.field, result.message, result.spokes

    return sorted(results, key=order)


def need_lines(needs: Sequence[values.NewNeed], spokes: int | None) -> Iterator[str]:
    """Yield lines for objects that spokes must have now, but not before, and that no tree has."""
    if needs:
        yield "newly needed on the clusters:"
    yield from first_lines([f"  + {need} {on_spokes(need.spokes, spokes)}" for need in needs])


def first_lines(changes: Sequence[str]) -> Sequence[str]:
    """Return the first lines, and the number of further lines."""
    more = len(changes) - _NAMED
    return changes if more <= 0 else [*changes[:_NAMED], f"  and {more:,} more"]


def message_lines(result: Result, spokes: int | None) -> list[str]:
    """Return the message, spokes and suggested fix of a finding, for formats with a single text."""
    where = [on_spokes(result.spokes, spokes)] if result.spokes else []
    return [result.message, *where, *([result.cure] if result.cure else [])]
