"""The assertions of the fleet file: expressions that must hold on every spoke."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from msgspec.structs import replace

from spokerender.config.base import API_VERSION
from spokerender.findings.codes.metapolicies import ASSERTION, TOO_COSTLY
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Fault, Result, Severity
from spokerender.findings.suppressions import suppress
from spokerender.formats.cel.declaring import ANY, BOOL
from spokerender.model import Origin, Ref, shown
from spokerender.model.budget import BudgetSpentError
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.metapolicies import expressions
from spokerender.wings.metapolicies.config import Assertion
from spokerender.wings.metapolicies.functions import FailedError, MetapolicyView
from spokerender.wings.metapolicies.queries import RenderedTopologies
from spokerender.wings.metapolicies.templates import TemplateCompiler, value_of

_MAX_PER_SPOKE, _MAX_MESSAGES = 100, 5_000
"""Messages of one assertion on one spoke, and different messages of all assertions."""
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
        """Yield the findings of an assertion on a spoke; one, when the budget is used up."""
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
        except expressions.RefusedError as error:
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
        """Compile it. Raises `RefusedError` if an expression of it is wrong."""
        self._compiler = compiler = expressions.Compiler()
        templates = TemplateCompiler(compiler)
        self._loop = templates.loop(assertion.for_each, ("forEach",), {"spoke": ANY})
        names, noun = self._loop.names, "a truth value"
        self._when = compiler.expression(assertion.when, ("when",), names, BOOL, noun)
        self._that = compiler.expression(assertion.that, ("that",), names, BOOL, noun)
        self._message = templates.text(assertion.message, ("message",), names)
        if compiler.faults:
            raise expressions.RefusedError(tuple(compiler.faults))

    def violations(self, view: MetapolicyView) -> Iterator[str]:
        """Yield the message of each violation. Raises `RefusedError`, `BudgetSpentError`."""
        scope = expressions.Scope({"spoke": dict(view.spoke)}, view, self._compiler.places)
        try:
            for inner in self._loop.scopes(scope):
                if inner.truth(self._when) and not inner.truth(self._that):
                    yield str(value_of(self._message(inner)))
        except FailedError as error:
            fault = Fault(error.finding, error.message, error.cure, error.at)
            raise expressions.RefusedError((fault,)) from error
