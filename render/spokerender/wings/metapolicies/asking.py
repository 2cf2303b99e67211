"""Expressions about a spoke's topology, asked by people: to try things out, and in assertions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.findings.results import Fault
from spokerender.formats.cel.declaring import ANY, BOOL
from spokerender.model import Manifest, Ref
from spokerender.model.budget import Budget
from spokerender.wings.metapolicies.assertions import Assertion
from spokerender.wings.metapolicies.expressions import Compiler, Scope, expressions_budget
from spokerender.wings.metapolicies.model import FailedError
from spokerender.wings.metapolicies.queries import RefusedError, ask
from spokerender.wings.metapolicies.seen import InForce, Seen
from spokerender.wings.metapolicies.templates import Reader, plain
from spokerender.wings.metapolicies.touched import Touched
from spokerender.wings.metapolicies.whereabouts import Here

NOBODY = Manifest(Ref("", "", "", ""), {"metadata": {}}, None)
"""Who asks, where no policy does."""


def evaluate(
    source: str, seen: Seen, spoke: Mapping[str, Any], in_force: InForce, me: Ref | None = None
) -> Any:  # noqa: ANN401  (JSON of any shape)
    """What an expression comes to on a spoke, as JSON data; `me` is what it calls `self`.

    Raises:
        RefusedError: it is wrong, or fails.

    """
    manifest = NOBODY if me is None else seen.given.objects[seen.by_ref[me]]
    here = Here(seen, manifest, spoke, Touched({}), in_force, expressions_budget())
    return ask(source, here, {"spoke": ANY}) if me is None else ask(source, here)


class Asserting:
    """An assertion, compiled once for all spokes."""

    def __init__(self, assertion: Assertion) -> None:
        """Compile it.

        Raises:
            RefusedError: an expression of it is wrong.

        """
        self._compiler = compiler = Compiler()
        reader, names = Reader(compiler), {"spoke": ANY}
        self._loop = loop = reader.loop(assertion.for_each, ("forEach",), names)
        said, inside = "a truth value", loop.names
        self._when = compiler.expression(assertion.when, ("when",), inside, BOOL, said)
        self._that = compiler.expression(assertion.that, ("that",), inside, BOOL, said)
        self._message = reader.text(assertion.message, ("message",), inside)
        if compiler.faults:
            raise RefusedError(tuple(compiler.faults))

    def broken(
        self,
        seen: Seen,
        spoke: Mapping[str, Any],
        in_force: InForce,
        budget: Budget,
    ) -> Iterator[str]:
        """What it has to say of a spoke: its message for all that breaks it.

        Args:
            seen: what the spoke has.
            spoke: what is said of the spoke itself.
            in_force: tells what is in force there.
            budget: what all assertions may cost.

        Raises:
            RefusedError: an expression of it fails.
            BudgetSpentError: the assertions cost too much.

        """
        here = Here(seen, NOBODY, spoke, Touched({}), in_force, budget)
        scope = Scope({"spoke": dict(spoke)}, here, self._compiler.places)
        try:
            for each in self._loop.each(scope):
                if each.truth(self._when) and not each.truth(self._that):
                    yield str(plain(self._message.filled(each)))
        except FailedError as error:
            fault = Fault(error.finding, error.message, error.cure, error.at)
            raise RefusedError((fault,)) from error
