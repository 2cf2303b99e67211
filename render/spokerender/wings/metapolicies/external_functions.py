"""Functions that are programs: a runner turns items into items, which become edits here.

The program gets the metapolicy, and of the spoke only the kinds that its definition declares.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from spokerender.findings.codes.metapolicies import FAILED, NOT_MADE
from spokerender.formats.patching import difference
from spokerender.model import Ref, identity
from spokerender.model.shapes import Json
from spokerender.wings.metapolicies import functions
from spokerender.wings.metapolicies.expressions import (
    ALL_NAMES,
    NAMES_WITHOUT_SPOKE,
    evaluate_source,
)


class ExternalFunction(functions.MetapolicyFunction, frozen=True, eq=False):
    """A function that a runner runs; `at` is the field that names the program."""

    runner: functions.Runner
    definition: str
    at: tuple[str, ...]

    def render(self, view: functions.MetapolicyView) -> Sequence[functions.RequestedEdit]:
        """Return the edits for one metapolicy on one spoke. Raises `FailedError`."""
        items = view.objects(self.reads | self.writes)
        request = functions.FunctionInput(
            view.metapolicy,
            items,
            view.spoke if self.of_spoke else {},
            self.definition,
            lambda source: self._evaluate(source, view),
        )
        output = self.runner.run(request)
        if output.problem:
            raise functions.FailedError(output.finding or FAILED, output.problem, at=self.at)
        return [*output.findings, *self._edits(items, output.items, view)]

    def _evaluate(self, source: str, view: functions.MetapolicyView) -> Json:
        return evaluate_source(source, view, ALL_NAMES if self.of_spoke else NAMES_WITHOUT_SPOKE)

    def _edits(
        self,
        items: Sequence[dict[str, Any]],
        answer: Sequence[dict[str, Any]],
        view: functions.MetapolicyView,
    ) -> Iterator[functions.RequestedEdit]:
        before = {ref: item for item in items if (ref := identity(item)) is not None}
        after = _index_items(answer)
        for ref, item in after.items():
            old = before.get(ref)
            problem = next(functions.find_answer_problems(item), "") if old != item else ""
            if problem:
                raise functions.FailedError(NOT_MADE, problem, at=self.at)
            if old is None:
                yield functions.CreateObject(functions.compute_object(item))
            elif old != item:
                patch = functions.compute(difference(old, item))
                yield functions.ChangeObject(view.named(ref) or ref, patch)
        for ref in sorted(before.keys() - after.keys()):
            yield functions.RemoveObject(view.named(ref) or ref)


def _index_items(items: Sequence[dict[str, Any]]) -> dict[Ref, dict[str, Any]]:
    item_by_ref: dict[Ref, dict[str, Any]] = {}
    for item in items:
        ref = identity(item)
        if ref is None or not ref.kind or not ref.name:
            message = "the function returns an item without apiVersion, kind or metadata.name"
            raise functions.FailedError(NOT_MADE, message)
        if ref in item_by_ref:
            message = f"the function returns {ref} twice"
            raise functions.FailedError(NOT_MADE, message)
        item_by_ref[ref] = item
    return item_by_ref
