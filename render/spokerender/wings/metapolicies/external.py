"""A function that is no expression: a runner answers, and its answer becomes edits.

It is shown the metapolicy, and of the spoke no more than the kinds that its definition declares.
It answers with items: a new one is made, one that is gone is taken out, another one is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.metapolicies import FAILED, NOT_DECLARED, NOT_MADE
from spokerender.formats.patching import difference
from spokerender.model import Ref, identity
from spokerender.rendering.values.stages import GroupKind
from spokerender.wings.metapolicies.computed import computed, made_object
from spokerender.wings.metapolicies.model import (
    Change,
    Create,
    Edit,
    FailedError,
    Follower,
    Noticed,
    Question,
    Remove,
    Reply,
    Runner,
    Whereabouts,
)
from spokerender.wings.metapolicies.queries import NAMES, WITHOUT_SPOKE, RefusedError, ask


class _Nobody:
    """Runs nothing (`model.Runner`): the definition has been refused by then."""

    def run(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """No answer to any."""
        return [Reply(problem="nobody runs it") for _ in questions]


NOBODY: Runner = _Nobody()


class Function(Struct, frozen=True, eq=False):
    """Asks a runner (`model.Function`); `at` is where its definition says what is run."""

    runner: Runner
    reads: frozenset[GroupKind]
    writes: frozenset[GroupKind]
    spelled_out: frozenset[str | int | float] = frozenset()
    definition: str = ""
    of_spoke: frozenset[tuple[str, ...]] = frozenset([()])
    at: tuple[str, ...] = ()

    def answer(self, where: Whereabouts) -> Sequence[Edit]:
        """The edits for one metapolicy on one spoke. Raises `FailedError`."""
        items = where.objects(self.reads | self.writes)
        spoke = where.spoke if self.of_spoke else {}
        question = Question(
            where.metapolicy,
            items,
            spoke,
            self.definition,
            lambda source: self._asked(source, where),
        )
        (reply,) = self.runner.run([question])
        if reply.problem:
            raise FailedError(reply.finding or FAILED, reply.problem, at=self.at)
        return [*reply.told, *self._edits(items, reply, where)]

    @property
    def is_followed(self) -> bool:
        """Whether somebody wants to know what expressions come to."""
        return isinstance(self.runner, Follower) and bool(self.runner.follows(self.definition))

    def notice(self, where: Whereabouts) -> None:
        """Tell what they come to for a metapolicy on a spoke."""
        follower = self.runner
        assert isinstance(follower, Follower)  # noqa: S101  (see `is_followed`)
        for source in follower.follows(self.definition):
            try:
                value = self._asked(source, where)
            except RefusedError:  # it comes to nothing here
                value = None
            spoke = str(where.spoke["name"])
            follower.noticed(Noticed(self.definition, where.ref, spoke, source, value))

    def _asked(self, source: str, where: Whereabouts) -> Any:  # noqa: ANN401  (JSON of any shape)
        """What an expression comes to; of the spoke it knows no more than the function."""
        return ask(source, where, NAMES if self.of_spoke else WITHOUT_SPOKE)

    def _edits(
        self, items: Sequence[dict[str, Any]], reply: Reply, where: Whereabouts
    ) -> Iterator[Edit]:
        before = {ref: item for item in items if (ref := identity(item)) is not None}
        after = self._by_ref(reply.items)
        for ref, item in after.items():
            old = before.get(ref)
            if old is None:
                yield Create(made_object(item))
            elif old != item:
                merge = difference(old, item)
                yield Change(self._writable(ref, where), computed(merge))
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
