"""Asks extensions: each is started when the first question comes, and once (`model.Runner`).

An extension that dies is started again, a little later each time, and asked again: its functions
are pure. One that hangs, floods or lies is ended and not asked any more.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from render.edge.extensions import protocol
from render.edge.extensions.calls import Answer, Asked, BrokenError
from render.edge.extensions.lines import Line, Tell
from render.edge.extensions.running import Program, Running
from render.findings.codes.metapolicies import CHECKED, EXTENSION, FAILED
from render.findings.results import Severity
from render.formats import yamlio
from render.rendering.metapolicies.model import Computed, Question, Reply, Told
from render.rendering.metapolicies.queries import RefusedError

_BACK_OFF = (0.1, 0.4, 1.6)
"""Seconds until an extension that died is started again."""
_MOST_QUERIES = 1_000
_MOST_USUAL = 16
"""How many queries are answered before they are asked, since the last question had them."""
_SEVERITIES = {"": Severity.ERROR, **{each.value: each for each in Severity}}


@dataclass(slots=True)
class Cost:
    """What an extension has cost: how often it was started and asked, and how long that took."""

    starts: int = 0
    start_seconds: float = 0.0
    questions: int = 0
    answer_seconds: float = 0.0
    remembered: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A reply, with the queries of which it is the reply, and what they came to."""

    answers: tuple[Answer, ...]
    reply: Reply


@dataclass(slots=True, eq=False)
class _Extension:
    """What there is of an extension."""

    program: Program
    running: Running | None = None
    problem: str = ""
    cost: Cost = field(default_factory=Cost)
    known: dict[bytes, list[_Known]] = field(default_factory=dict)
    used: dict[bytes, list[_Known]] = field(default_factory=dict)
    usual: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Extensions:
    """The extensions of a project."""

    def __init__(self, programs: Iterable[Program], tell: Tell) -> None:
        """Nothing is started yet."""
        self._tell = tell
        self._extensions = [_Extension(program) for program in programs]
        self._of = {name: each for each in self._extensions for name in each.program.definitions}

    def run(self, questions: Sequence[Question]) -> list[Reply]:
        """An answer to each question, in order."""
        return [self._reply(self._of[question.definition], question) for question in questions]

    def costs(self) -> Mapping[str, Cost]:
        """What each extension that was started has cost."""
        return {each.program.name: each.cost for each in self._extensions if each.cost.starts}

    def begin(self, changed: Iterable[Path] = ()) -> None:
        """Another build begins: what failed may do better; who has changed is started anew."""
        paths = tuple(changed)
        for each in self._extensions:
            each.problem = ""
            each.known, each.used = each.used, {}
            folder = each.program.command.folder
            if any(path.is_relative_to(folder) for path in paths):
                each.known = {}
                self._end(each)
            elif each.running is not None:
                each.running.lines.refill()

    def close(self) -> None:
        """End all of them."""
        for each in self._extensions:
            self._end(each)

    def _end(self, extension: _Extension) -> None:
        running, extension.running = extension.running, None
        if running is not None:
            running.close()

    def _reply(self, extension: _Extension, question: Question) -> Reply:
        asked = Asked(
            protocol.encoded(question.metapolicy),
            protocol.encoded(_plain(question.spoke)),
            tuple(map(protocol.encoded, question.items)),
        )
        key, queries = _digest(question.definition, asked), _Queries(question)
        for known in (extension.used, extension.known):
            for each in known.get(key, ()):
                if all(queries(answer[0]) == answer for answer in each.answers):
                    extension.cost.remembered += 1
                    if known is extension.known:
                        extension.used.setdefault(key, []).append(each)
                    return each.reply
        if extension.problem:
            return Reply(problem=extension.problem, finding=EXTENSION)
        queries.begin(extension.usual.get(question.definition, ()))
        try:
            said = self._conversed(extension, asked, queries)
            reply = _read(said, question, asked)
        except BrokenError as error:
            self._end(extension)
            extension.problem = f"the extension {extension.program.name} fails: {error}"
            return Reply(problem=extension.problem, finding=EXTENSION)
        extension.usual[question.definition] = tuple(queries.asked)[-_MOST_USUAL:]
        known_now = _Known(tuple(queries.asked.values()), reply)
        extension.used.setdefault(key, []).append(known_now)
        return reply

    def _conversed(self, extension: _Extension, asked: Asked, queries: _Queries) -> Any:  # noqa: ANN401
        """What it replies (a message) when it has nothing to ask any more. Raises `BrokenError`."""
        while True:
            said = self._said(extension, asked, queries)
            if not said.queries:
                return said
            before = len(queries.asked)
            for source in said.queries:
                queries(source)
            if len(queries.asked) == before:
                _refuse("it asks what it has been told")
            if len(queries.asked) > _MOST_QUERIES:
                _refuse(f"it asks more than {_MOST_QUERIES:,} queries about one metapolicy")

    def _said(self, extension: _Extension, asked: Asked, queries: _Queries) -> Any:  # noqa: ANN401
        """What it answers; it is asked again when it died. Raises `BrokenError`."""
        for delay in (*_BACK_OFF, None):
            try:
                running = extension.running or self._started(extension)
                began = time.perf_counter()
                answers = queries.asked.values()
                said = running.calls.transform(asked, answers, extension.program.answer_seconds)
            except BrokenError as error:
                why = self._died(extension, error)
                if delay is None or not error.died:
                    raise BrokenError(why) from error
                again = f"{why}; it is started again in {delay:g} seconds"
                self._tell(Line(extension.program.name, Severity.WARNING, again))
                time.sleep(delay)
            else:
                extension.cost.questions += 1
                extension.cost.answer_seconds += time.perf_counter() - began
                return said
        raise AssertionError  # the last round ends above

    def _started(self, extension: _Extension) -> Running:
        began = time.perf_counter()
        extension.running = Running(extension.program, self._tell)
        extension.cost.starts += 1
        extension.cost.start_seconds += time.perf_counter() - began
        return extension.running

    def _died(self, extension: _Extension, error: BrokenError) -> str:
        """Why it has not answered: by how it ended, where it did."""
        running = extension.running
        how = running.ended(1.0) if error.died and running is not None else ""
        self._end(extension)
        return f"{how} before it answered" if how else str(error)


class _Queries:
    """Asks the spoke's topology for an extension, each expression once."""

    def __init__(self, question: Question) -> None:
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


def _digest(definition: str, asked: Asked) -> bytes:
    """What stands for a question: equal ones have an equal one."""
    found = hashlib.blake2b(definition.encode(), digest_size=32)
    for data in (asked.metapolicy, asked.spoke, *asked.items):
        found.update(len(data).to_bytes(8, "big") + data)
    return found.digest()


def _plain(data: Any) -> Any:  # noqa: ANN401  (JSON of any shape, perhaps read-only)
    if isinstance(data, Mapping):
        return {key: _plain(value) for key, value in data.items()}
    return [_plain(item) for item in data] if isinstance(data, list | tuple) else data


def _read(said: Any, question: Question, asked: Asked) -> Reply:  # noqa: ANN401  (a message)
    """A reply as the core has it. Raises `BrokenError` where it is none."""
    if said.problem:
        return Reply(problem=f"its function fails: {said.problem[:2000]}", finding=FAILED)
    before = dict(zip(asked.items, question.items, strict=True))
    items = [before[data] if data in before else _item(data) for data in said.item_json]
    told = []
    for each in said.results:
        if each.severity not in _SEVERITIES:
            _refuse(f"it tells something of severity {each.severity[:50]!r}")
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
        _refuse(f"it answers with an item that can't be read: {problems[0].message}")
    if len(documents) != 1 or not isinstance(documents[0].value, dict):
        _refuse("it answers with an item that is no object")
    return dict(documents[0].value)


def _refuse(message: str) -> NoReturn:
    raise BrokenError(message)
