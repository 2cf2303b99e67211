"""A function that a runner answers for: what it is shown, and what becomes of its answer."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from spokerender.findings.codes.metapolicies import FAILED, NOT_MADE
from spokerender.findings.results import Fault
from spokerender.model import Ref
from spokerender.wings.metapolicies.definitions import ExternalFunction
from spokerender.wings.metapolicies.expressions import expressions_budget
from spokerender.wings.metapolicies.functions import (
    ChangeObject,
    Computed,
    CreateObject,
    FailedError,
    FunctionInput,
    FunctionOutput,
    RemoveObject,
)
from spokerender.wings.metapolicies.topology_view import TopologyView
from tests.support import cases

LIMITS = frozenset([("kuadrant.io", "RateLimitPolicy")])
ONE: dict[str, Any] = {
    "apiVersion": "kuadrant.io/v1",
    "kind": "RateLimitPolicy",
    "metadata": {"name": "one", "namespace": "shop"},
    "spec": {"limits": {"a": 1}},
}
DEEP: Any = json.loads("[" * 150 + "]" * 150)
REF = Ref("kuadrant.io", "RateLimitPolicy", "shop", "one")


@dataclass
class Fake:
    """Answers as it is told, and keeps what it was asked."""

    answer: Callable[[Sequence[dict[str, Any]]], FunctionOutput | Fault]
    asked: list[FunctionInput] = field(default_factory=list)

    def run(self, request: FunctionInput) -> FunctionOutput | Fault:
        """Answer, and keep the request."""
        self.asked.append(request)
        return self.answer(request.items)


class There(TopologyView):
    """A spoke with one policy."""

    def __init__(self) -> None:
        """Its name, and the metapolicy on it."""
        self.metapolicy = {"kind": "QuotaPolicy"}
        self.ref = Ref("acme.example", "QuotaPolicy", "shop", "fair")
        self.spoke = {"name": "eu"}
        self.budget = expressions_budget()

    def objects(self, kinds: frozenset[tuple[str, str]]) -> list[dict[str, Any]]:
        """What it has of these."""
        return [ONE] if kinds & LIMITS else []

    def named(self, ref: Ref) -> Ref | None:
        """The policy."""
        return ref if ref == REF else None


def function(
    runner: Fake, reads: frozenset[tuple[str, str]], writes: frozenset[tuple[str, str]]
) -> ExternalFunction:
    """A function that reads the spoke, too."""
    return ExternalFunction(
        reads, writes, frozenset(), frozenset([()]), runner, "quota", ("spec", "exec", "path")
    )


def unanswered(_: str) -> None:
    """A query to which there is no answer."""


def edits(answer: Callable[[Sequence[dict[str, Any]]], FunctionOutput | Fault]) -> list[Any]:
    fake = Fake(answer)
    there = There()
    found = function(fake, frozenset(), LIMITS).render(there)
    assert [replace(question, query=unanswered) for question in fake.asked] == [
        FunctionInput(there.metapolicy, [ONE], there.spoke, "quota", unanswered)
    ]
    return list(found)


def test_what_it_leaves_alone_is_no_edit() -> None:
    assert edits(FunctionOutput) == []


def test_items_that_are_new_other_or_gone_are_edits() -> None:
    other = {**ONE, "metadata": {"name": "two"}}
    (made,) = edits(lambda items: FunctionOutput([*items, other]))
    assert isinstance(made, CreateObject)
    assert made.object["metadata"] == {"name": Computed("two", None)}
    (changed,) = edits(lambda _: FunctionOutput([{**ONE, "spec": {"limits": {"a": 2}}}]))
    assert isinstance(changed, ChangeObject)
    assert (changed.target, changed.merge) == (REF, {"spec": {"limits": {"a": Computed(2, None)}}})
    (gone,) = edits(lambda _: FunctionOutput([]))
    assert isinstance(gone, RemoveObject)
    assert gone.target == REF


@cases(
    (FunctionOutput([ONE, ONE]), NOT_MADE),
    (FunctionOutput([{"kind": "A"}]), NOT_MADE),
    (FunctionOutput([{**ONE, "spec": {"n": 2**63}}]), NOT_MADE),
    (FunctionOutput([{**ONE, "spec": {"n": -1e19}}]), NOT_MADE),
    (FunctionOutput([{**ONE, "spec": DEEP}]), NOT_MADE),
    (Fault(FAILED, "it timed out"), FAILED),
)
def test_an_answer_that_is_none_is_told(reply: FunctionOutput | Fault, code: object) -> None:
    with pytest.raises(FailedError) as caught:
        edits(lambda _: reply)
    (fault,) = caught.value.faults
    assert fault.finding == code
