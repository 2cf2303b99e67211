"""Asks extensions: each is started when the first question comes, and once (`model.Runner`).

An extension that dies is started again, a little later each time, and asked again: its functions
are pure. One that hangs, floods or lies is ended and not asked any more.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.authoring import protocol
from spokerender.findings.codes.metapolicies import EXTENSION, NOT_PURE
from spokerender.findings.results import Severity
from spokerender.wings.metapolicies.model import Noticed, Question, Reply
from spokerender.wings.metapolicies.runners.extensions.calls import Answer, Asked, BrokenError
from spokerender.wings.metapolicies.runners.extensions.conversing import (
    Queries,
    asked_of,
    digest,
    read,
    refuse,
)
from spokerender.wings.metapolicies.runners.extensions.lines import Line, Tell
from spokerender.wings.metapolicies.runners.extensions.running import Program, Running

_BACK_OFF = (0.1, 0.4, 1.6)
"""Seconds until an extension that died is started again."""
_MOST_QUERIES = 1_000
_MOST_USUAL = 16
"""How many queries are answered before they are asked, since the last question had them."""


class Cost(Struct):
    """What an extension has cost: how often it was started and asked, and how long that took."""

    starts: int = 0
    start_seconds: float = 0.0
    questions: int = 0
    answer_seconds: float = 0.0
    remembered: int = 0


class _Known(Struct, frozen=True, eq=False):
    """A reply, with the queries of which it is the reply, and what they came to."""

    answers: tuple[Answer, ...]
    reply: Reply


class _Extension(Struct, eq=False):
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

    def __init__(
        self, programs: Iterable[Program], tell: Tell, *, twice: bool = False, follow: bool = False
    ) -> None:
        """Nothing is started yet.

        With `twice` each question is asked twice, and both replies must be equal; with `follow`
        there are several builds, and extensions hear what has changed from one to the next.
        """
        self._tell = tell
        self._twice, self._follow = twice, follow
        self._values: dict[Noticed, bytes] = {}
        self._before: dict[Noticed, bytes] = {}
        self._extensions = [_Extension(program) for program in programs]
        self._of = {name: each for each in self._extensions for name in each.program.definitions}

    def run(self, questions: Sequence[Question]) -> list[Reply]:
        """An answer to each question, in order."""
        return [self._reply(self._of[question.definition], question) for question in questions]

    def costs(self) -> Mapping[str, Cost]:
        """What each extension that was started has cost."""
        return {each.program.name: each.cost for each in self._extensions if each.cost.starts}

    def follows(self, definition: str) -> Sequence[str]:
        """The expressions that an extension follows, about the metapolicies of a definition."""
        extension = self._of[definition]
        if not self._follow or extension.problem:
            return ()
        try:
            running = extension.running or self._started(extension)
        except BrokenError:  # whoever asks it will be told
            return ()
        return running.subscriptions.get(extension.program.definitions[definition].kind, ())

    def noticed(self, what: Noticed) -> None:
        """What one of them comes to: an event, where it was something else in the build before."""
        key = replace(what, value=None)
        value = protocol.encoded(what.value)
        self._values[key] = value
        extension = self._of[what.definition]
        if self._before.get(key, value) == value or extension.running is None:
            return
        ref = what.metapolicy
        event = protocol.message(
            "Event",
            kind=protocol.message("Kind", group=ref.group, kind=ref.kind),
            namespace=ref.namespace,
            name=ref.name,
            spoke=what.spoke,
            expression=what.expression,
            value_json=b"" if what.value is None else value,
        )
        try:
            extension.running.calls.notify(event, extension.program.answer_seconds)
        except BrokenError as error:  # it is started again when it is asked something
            why = self._died(extension, error)
            self._tell(Line(extension.program.name, Severity.WARNING, f"it hears nothing: {why}"))

    def begin(self, changed: Iterable[Path] = ()) -> None:
        """Another build begins: what failed may do better; who has changed is started anew."""
        paths = tuple(changed)
        self._before, self._values = self._values, {}
        for each in self._extensions:
            each.problem = ""
            each.known, each.used = each.used, {}
            folder = each.program.command.folder
            if any(path.is_relative_to(folder) for path in paths):
                each.known = {}
                self._end(each)
            elif each.running is not None and each.running.ended():
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
        asked = asked_of(question)
        key, queries = digest(question.definition, asked), Queries(question)
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
            reply = read(said, question, asked)
            if self._twice and self._said(extension, asked, queries) != said:
                problem = f"the extension {extension.program.name} answers the same differently"
                return Reply(problem=problem, finding=NOT_PURE)
        except BrokenError as error:
            self._end(extension)
            extension.problem = f"the extension {extension.program.name} fails: {error}"
            return Reply(problem=extension.problem, finding=EXTENSION)
        extension.usual[question.definition] = tuple(queries.asked)[-_MOST_USUAL:]
        known_now = _Known(tuple(queries.asked.values()), reply)
        extension.used.setdefault(key, []).append(known_now)
        return reply

    def _conversed(self, extension: _Extension, asked: Asked, queries: Queries) -> Any:  # noqa: ANN401
        """What it replies (a message) when it has nothing to ask any more. Raises `BrokenError`."""
        while True:
            said = self._said(extension, asked, queries)
            if not said.queries:
                return said
            before = len(queries.asked)
            for source in said.queries:
                queries(source)
            if len(queries.asked) == before:
                refuse("it asks what it has been told")
            if len(queries.asked) > _MOST_QUERIES:
                refuse(f"it asks more than {_MOST_QUERIES:,} queries about one metapolicy")

    def _said(self, extension: _Extension, asked: Asked, queries: Queries) -> Any:  # noqa: ANN401
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
