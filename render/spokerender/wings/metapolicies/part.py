"""The part of metapolicies in rendering: a stage for each definition, and assertions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePath

from msgspec.structs import replace

from spokerender.config.base import API_VERSION
from spokerender.config.fleet import MOST_HUB_BYTES
from spokerender.edge.templates import carried_metapolicies, known_versions
from spokerender.findings.codes.metapolicies import ASSERTION, TOO_COSTLY, UNKNOWN_VERSION
from spokerender.findings.errors import InputError
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Fault, Result, Severity
from spokerender.findings.suppressions import suppress
from spokerender.model import Origin, Ref, Spoke, shown
from spokerender.model.budget import BudgetSpentError
from spokerender.model.sources import Files
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Contribution, Rendered
from spokerender.topology.hub import Hub
from spokerender.wings.metapolicies import expressions
from spokerender.wings.metapolicies.config import Assertion, MetapolicyDocument, load_metapolicies
from spokerender.wings.metapolicies.functions import (
    AuthoredCode,
    MetapolicyView,
    RefusedError,
    Resources,
    Runner,
)
from spokerender.wings.metapolicies.queries import RenderedTopologies
from spokerender.wings.metapolicies.runners import find_runners, load_functions
from spokerender.wings.metapolicies.settings import MetapolicySettings
from spokerender.wings.metapolicies.stage import make_stages
from spokerender.wings.metapolicies.templates import TemplateCompiler, value_of
from spokerender.wings.part import Part, ProjectFiles

_MAX_PER_SPOKE, _MAX_MESSAGES = 100, 5_000
"""The most messages of an assertion on one spoke; the most different messages of all assertions."""
_CURE = "correct what is reported, or the assertion"


def check_assertions(
    assertions: Sequence[Assertion], rendered: Rendered, at: Callable[..., Origin]
) -> tuple[Result, ...]:
    """Return the findings of the fleet file's assertions; `at` locates a field of that file."""
    if not assertions:
        return ()
    occurrences: list[Occurrence] = []
    checker = _AssertionChecker(assertions, rendered)
    for bundle in rendered.bundles.values():
        for number in range(len(assertions)):
            for result in checker.check(number, bundle):
                # Equal findings of spokes are merged, each with its spokes.
                result_there = replace(result, origin=at("spec", "assertions", number), spokes=())
                occurrences.append(Occurrence(result_there, (bundle.spoke.name,)))
    return suppress(
        merge_occurrences(occurrences), rendered.settings.suppressions, rendered.topology.labels_of
    )


class _AssertionChecker:
    """Evaluates assertions within one budget of work and of messages for the whole fleet."""

    def __init__(self, assertions: Sequence[Assertion], rendered: Rendered) -> None:
        self._assertions = assertions
        self._budget = expressions.expressions_budget(
            sum(1 + len(bundle.blueprint.variants) for bundle in rendered.bundles.values())
        )
        self._topologies = RenderedTopologies(rendered)
        self._messages: set[tuple[Ref, str]] = set()
        self._is_exhausted = False
        self._compile = cache(lambda number: _CompiledAssertion(assertions[number]))

    def check(self, number: int, bundle: Bundle) -> Iterator[Result]:
        """Yield the findings of assertion `number` on a spoke; none once the budget is spent."""
        if self._is_exhausted:
            return
        assertion = self._assertions[number]
        severity = Severity(assertion.severity)
        name = Ref(API_VERSION.partition("/")[0], "Assertion", "", assertion.name)
        view = self._topologies.view(bundle, self._budget)
        try:
            for count, message in enumerate(self._compile(number).violations(view)):
                self._messages.add((name, message))
                if len(self._messages) > _MAX_MESSAGES:
                    problem = f"the assertions are violated more than {_MAX_MESSAGES:,} times"
                    yield self._exhaust(problem, _CURE, bundle, name)
                    return
                if count == _MAX_PER_SPOKE:
                    problem = (
                        f"it is violated more than {_MAX_PER_SPOKE} times on a spoke; the rest is "
                        "not evaluated"
                    )
                    yield ASSERTION.result(problem, cure=_CURE, resource=name, severity=severity)
                    return
                yield ASSERTION.result(
                    message, cure=assertion.cure, resource=name, severity=severity
                )
        except BudgetSpentError as error:
            problem = f"the assertions cost too much: {error}"
            cure = "test several things of an object in one assertion"
            yield self._exhaust(problem, cure, bundle, name)
        except RefusedError as error:
            for fault in error.faults:
                field = shown(fault.field)
                yield fault.finding.result(
                    fault.message, cure=fault.cure, resource=name, field=field
                )

    def _exhaust(self, problem: str, cure: str, bundle: Bundle, name: Ref) -> Result:
        self._is_exhausted = True
        message = f"{problem}: from {bundle.spoke.name} on, it and later ones are not evaluated"
        return TOO_COSTLY.result(message, cure=cure, resource=name)


class _CompiledAssertion:
    """An assertion, compiled once for all spokes."""

    def __init__(self, assertion: Assertion) -> None:
        """Compile the expressions of an assertion. Raises `RefusedError` if one is wrong."""
        compiler, spoke_names = TemplateCompiler(), expressions.NAMES_WITHOUT_SELF
        self._loop = compiler.loop(assertion.for_each, ("forEach",), spoke_names)
        names = self._loop.names
        self._when = compiler.condition(assertion.when, ("when",), names)
        self._that = compiler.condition(assertion.that, ("that",), names)
        self._message = compiler.text(assertion.message, ("message",), names)
        if compiler.faults:
            raise RefusedError(tuple(compiler.faults))

    def violations(self, view: MetapolicyView) -> Iterator[str]:
        """Yield the message of each violation. Raises `RefusedError`, `BudgetSpentError`."""
        scope = expressions.open_scope(view, expressions.NAMES_WITHOUT_SELF)
        for inner in self._loop.scopes(scope):
            if inner.truth(self._when) and not inner.truth(self._that):
                yield str(value_of(self._message(inner)))


class Metapolicies(Part):
    """The definitions and assertions of a project; `runners` and `code` as in `Resources`."""

    wing = "metapolicies"

    def __init__(
        self,
        documents: Sequence[MetapolicyDocument],
        assertions: Sequence[Assertion],
        runners: Mapping[str, Runner],
        code: Mapping[str, AuthoredCode | Fault],
    ) -> None:
        self.documents = documents
        self._assertions = assertions
        self._runners, self._code = runners, code
        self.runs_code = bool(code)

    def contribute(self, hub: Hub, spokes: Sequence[Spoke]) -> Contribution:  # noqa: ARG002  (a part's)
        """Return a stage for each definition, and the check of the assertions."""
        return Contribution(
            listed=frozenset(document.kind for document in self.documents),
            stages=lambda topology: make_stages(
                self.documents, Resources(hub.catalogue, self._runners, self._code), topology
            ),
            check=lambda rendered, at: check_assertions(self._assertions, rendered, at),
        )


def read_metapolicies(project: ProjectFiles) -> Metapolicies:
    """Read the definitions of the project and of its Kuadrant version. Raises `InputError`."""
    settings = project.settings(MetapolicySettings)
    files: Files = ()
    if settings.metapolicies:
        files = project.read("metapolicies", settings.metapolicies, limit_bytes=MOST_HUB_BYTES)
    if settings.kuadrant_version is not None:
        carried = carried_metapolicies(settings.kuadrant_version)
        if not carried:
            refusal = UNKNOWN_VERSION.result(
                f"Kuadrant's operator {settings.kuadrant_version} is unknown",
                cure=f"use one of {', '.join(known_versions())}; or remove the field, and the "
                "policies ship unchanged",
                field="spec.kuadrantVersion",
                origin=project.document.at("spec", "kuadrantVersion"),
            )
            raise InputError((refusal,))
        files = [*files, *carried]
    documents = load_metapolicies(files) if files else ()
    folder, session = PurePath(project.source.shown(".")), project.session
    return Metapolicies(
        documents,
        settings.assertions,
        find_runners(folder, documents, session),
        load_functions(folder, documents, session),
    )
