"""From the questions and replies of the core to those of the protocol, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from spokerender.authoring import protocol
from spokerender.findings.codes.metapolicies import CHECKED, FAILED
from spokerender.findings.results import Severity
from spokerender.formats import yamlio
from spokerender.wings.metapolicies.model import Computed, Question, Reply, Told
from spokerender.wings.metapolicies.queries import RefusedError
from spokerender.wings.metapolicies.runners.extensions.calls import Answer, Asked, BrokenError

_SEVERITIES = {"": Severity.ERROR, **{each.value: each for each in Severity}}


def asked_of(question: Question) -> Asked:
    """A question as the protocol has it."""
    return Asked(
        protocol.encoded(question.metapolicy),
        protocol.encoded(_plain(question.spoke)),
        tuple(map(protocol.encoded, question.items)),
    )


class Queries:
    """Asks the spoke's topology for an extension, each expression once."""

    def __init__(self, question: Question) -> None:
        """Nothing is asked yet."""
        self._question = question
        self._found: dict[str, Answer] = {}
        self.asked: dict[str, Answer] = {}

    def begin(self, usual: Iterable[str]) -> None:
        """Ask what was asked the last time: it saves the extension asking."""
        self.asked.clear()
        for source in usual:
            self(source)

    def __call__(self, source: str) -> Answer:
        """What it comes to, or why to nothing."""
        if source not in self._found:
            self._found[source] = self._answer(source)
        self.asked[source] = self._found[source]
        return self._found[source]

    def _answer(self, source: str) -> Answer:
        assert self._question.query is not None  # noqa: S101  (who asks extensions can be asked)
        try:
            return source, protocol.encoded(self._question.query(source)), ""
        except RefusedError as error:
            return source, b"", "; ".join(fault.message for fault in error.faults)


def digest(definition: str, asked: Asked) -> bytes:
    """What stands for a question: equal ones have an equal one."""
    found = hashlib.blake2b(definition.encode(), digest_size=32)
    for data in (asked.metapolicy, asked.spoke, *asked.items):
        found.update(len(data).to_bytes(8, "big") + data)
    return found.digest()


def _plain(data: Any) -> Any:  # noqa: ANN401  (JSON of any shape, perhaps read-only)
    if isinstance(data, Mapping):
        return {key: _plain(value) for key, value in data.items()}
    return [_plain(item) for item in data] if isinstance(data, list | tuple) else data


def read(said: Any, question: Question, asked: Asked) -> Reply:  # noqa: ANN401  (a message)
    """A reply as the core has it. Raises `BrokenError` where it is none."""
    if said.problem:
        return Reply(problem=f"its function fails: {said.problem[:2000]}", finding=FAILED)
    before = dict(zip(asked.items, question.items, strict=True))
    items = [before[data] if data in before else _item(data) for data in said.item_json]
    told = []
    for each in said.results:
        if each.severity not in _SEVERITIES:
            refuse(f"it tells something of severity {each.severity[:50]!r}")
        severity = _SEVERITIES[each.severity]
        message, cure, at = map(_word, (each.message, each.cure, each.field))
        told.append(Told(CHECKED, message, cure, at, severity))
    return Reply(items, told)


def _word(text: str) -> Computed | str:
    return Computed(text) if text else ""


def _item(data: bytes) -> dict[str, Any]:
    """An object that is not as it was: read as the hub is, for nobody has looked at it yet."""
    documents, problems = yamlio.read(data, "its answer")
    if problems:
        refuse(f"it answers with an item that can't be read: {problems[0].message}")
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        refuse("it answers with an item that is no object")
    return dict(documents[0].value)


def refuse(message: str) -> NoReturn:
    """An extension does not do as it should."""
    raise BrokenError(message)
