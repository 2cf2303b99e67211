"""A function that is no expression: a runner answers, and its answer becomes edits.

It is shown the metapolicy, and of the spoke no more than the kinds that its definition declares.
It answers with items: a new one is made, one that is gone is taken out, another one is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from render.findings.codes.metapolicies import FAILED, NOT_DECLARED, NOT_MADE
from render.formats.patching import difference
from render.model import Ref, identity
from render.rendering.metapolicies.model import (
    Change,
    Computed,
    Create,
    Edit,
    FailedError,
    Question,
    Remove,
    Reply,
    Runner,
    Whereabouts,
)
from render.rendering.values.stages import GroupKind


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """Asks a runner (`model.Function`)."""

    runner: Runner
    reads: frozenset[GroupKind]
    writes: frozenset[GroupKind]
    spelled_out: frozenset[str | int | float] = frozenset()
    of_spoke: frozenset[tuple[str, ...]] = frozenset([()])

    def answer(self, where: Whereabouts) -> Sequence[Edit]:
        """The edits for one metapolicy on one spoke. Raises `FailedError`."""
        items = where.objects(self.reads | self.writes)
        question = Question(where.metapolicy, items, where.spoke)
        (reply,) = self.runner.run([question])
        if reply.problem:
            raise FailedError(reply.finding or FAILED, reply.problem)
        return [*reply.told, *self._edits(items, reply, where)]

    def _edits(
        self, items: Sequence[dict[str, Any]], reply: Reply, where: Whereabouts
    ) -> Iterator[Edit]:
        before = {ref: item for item in items if (ref := identity(item)) is not None}
        after = self._by_ref(reply.items)
        for ref, item in after.items():
            old = before.get(ref)
            if old is None:
                yield Create(_computed(item))
            elif old != item:
                merge = difference(old, item)
                yield Change(self._writable(ref, where), _computed(merge))
        for ref in sorted(before.keys() - after.keys()):
            yield Remove(self._writable(ref, where))

    def _by_ref(self, items: Sequence[dict[str, Any]]) -> dict[Ref, dict[str, Any]]:
        found: dict[Ref, dict[str, Any]] = {}
        for item in items:
            ref = identity(item)
            if ref is None or not ref.kind or not ref.name:
                message = "it answers with an item without apiVersion, kind or metadata.name"
                raise FailedError(NOT_MADE, message, "correct the function")
            if ref in found:
                raise FailedError(NOT_MADE, f"it answers with {ref} twice", "correct the function")
            found[ref] = item
        return found

    def _writable(self, ref: Ref, where: Whereabouts) -> Ref:
        if (ref.group, ref.kind) not in self.writes:
            message = f"it writes {ref}, and its definition does not declare the kind"
            cure = f"add {{group: {ref.group}, kind: {ref.kind}}} to spec.writes"
            raise FailedError(NOT_DECLARED, message, cure)
        return where.named(ref) or ref


def _computed(data: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    if isinstance(data, Mapping):
        return {key: _computed(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_computed(item) for item in data]
    return Computed(data) if isinstance(data, str) or type(data) is int else data
