"""Ask extensions: a process is started for the first input, and answers all later ones.

An extension that dies is started again, a little later each time, and asked again: its functions
are pure. One that hangs, floods or violates the protocol is ended, and not asked any more.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from spokerender.authoring import protocol
from spokerender.findings.codes.metapolicies import EXTENSION, NOT_PURE
from spokerender.findings.results import Severity
from spokerender.model import Ref
from spokerender.wings.metapolicies.functions import FunctionInput, FunctionOutput
from spokerender.wings.metapolicies.runners.extensions import calls
from spokerender.wings.metapolicies.runners.extensions.log_lines import LogLine, ShowLine
from spokerender.wings.metapolicies.runners.extensions.process import (
    ExtensionProcess,
    ExtensionProgram,
)

JSON = Any
_RESTART_DELAYS = (0.1, 0.4, 1.6)
"""The seconds before an extension that died is started again."""
_MAX_QUERIES = 1_000
_MAX_EXPECTED = 16
"""Queries of the last input that are answered before they are asked."""


class ExtensionCost(Struct):
    """The cost of an extension: its starts and inputs, their seconds, and the inputs not sent."""

    starts: int = 0
    start_seconds: float = 0.0
    questions: int = 0
    answer_seconds: float = 0.0
    remembered: int = 0


class _RememberedOutput(Struct, frozen=True, eq=False):
    """An output, and the answers to queries that it depends on."""

    answers: tuple[calls.QueryAnswer, ...]
    output: FunctionOutput


class _ExtensionState(Struct, eq=False):
    """An extension: its process, if it runs, and what is remembered of it.

    `outputs` are of the build before, `used` of this one, by the digest of their input; `expected`
    are the queries of the last input, by definition.
    """

    program: ExtensionProgram
    process: ExtensionProcess | None = None
    problem: str = ""
    cost: ExtensionCost = field(default_factory=ExtensionCost)
    outputs: dict[bytes, list[_RememberedOutput]] = field(default_factory=dict)
    used: dict[bytes, list[_RememberedOutput]] = field(default_factory=dict)
    expected: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Extensions:
    """The extensions of a project (`functions.Runner`, `functions.Subscriber`)."""

    def __init__(
        self,
        programs: Sequence[ExtensionProgram],
        show: ShowLine,
        *,
        twice: bool = False,
        follow: bool = False,
    ) -> None:
        """Start nothing yet.

        With `twice` an extension is asked twice for an input, and both outputs must be equal. With
        `follow` there are several builds, and extensions get events between them.
        """
        self._show = show
        self._twice, self._follow = twice, follow
        self._states: list[_ExtensionState] = []
        self.host(programs)

    def host(self, programs: Sequence[ExtensionProgram]) -> None:
        """End all processes, and host these programs from now on."""
        self.close()
        self.programs = programs
        self._values: dict[tuple[str, Ref, str, str], bytes] = {}
        self._values_before = self._values
        self._states = [_ExtensionState(program) for program in programs]
        self._by_definition = {
            name: state for state in self._states for name in state.program.definitions
        }

    def run(self, request: FunctionInput) -> FunctionOutput:
        """Return the output for an input."""
        state, encoded = self._by_definition[request.definition], calls.encode_input(request)
        key, queries = calls.digest(request.definition, encoded), calls.InputQueries(request)
        remembered = self._recall(state, key, queries)
        if remembered is not None:
            return remembered
        if state.problem:
            return FunctionOutput(problem=state.problem, finding=EXTENSION)
        queries.begin(state.expected.get(request.definition, ()))
        try:
            reply = self._converse(state, encoded, queries)
            output = calls.decode_reply(reply, request, encoded)
            if self._twice and self._transform(state, encoded, queries) != reply:
                name = state.program.name
                problem = f"the extension {name} gives two different outputs for one input"
                return FunctionOutput(problem=problem, finding=NOT_PURE)
        except calls.ExtensionError as error:
            self._end(state)
            state.problem = f"the extension {state.program.name} fails: {error}"
            return FunctionOutput(problem=state.problem, finding=EXTENSION)
        state.expected[request.definition] = tuple(queries.asked)[-_MAX_EXPECTED:]
        answers = tuple(queries.asked.values())
        state.used.setdefault(key, []).append(_RememberedOutput(answers, output))
        return output

    def folders(self) -> tuple[Path, ...]:
        """Return the folders of the programs, sorted."""
        return tuple(sorted(program.command.folder for program in self.programs))

    def costs(self) -> Mapping[str, ExtensionCost]:
        """Return the cost of each extension that was started."""
        return {state.program.name: state.cost for state in self._states if state.cost.starts}

    def subscriptions(self, definition: str) -> Sequence[str]:
        """Return the expressions that an extension follows for the metapolicies of a definition."""
        state = self._by_definition[definition]
        if not self._follow or state.problem:
            return ()
        try:
            process = state.process or self._start(state)
        except calls.ExtensionError:  # `run` will report it
            return ()
        return process.subscriptions.get(state.program.definitions[definition].kind, ())

    def observe(
        self, definition: str, metapolicy: Ref, spoke: str, expression: str, value: JSON
    ) -> None:
        """Send an event if the value differs from that of the build before."""
        key, encoded = (definition, metapolicy, spoke, expression), protocol.encoded(value)
        self._values[key] = encoded
        state = self._by_definition[definition]
        if self._values_before.get(key, encoded) == encoded or state.process is None:
            return
        event = protocol.build_message(
            "Event",
            kind=protocol.build_message("Kind", group=metapolicy.group, kind=metapolicy.kind),
            namespace=metapolicy.namespace,
            name=metapolicy.name,
            spoke=spoke,
            expression=expression,
            value_json=b"" if value is None else encoded,
        )
        try:
            state.process.calls.notify(event, state.program.answer_seconds)
        except calls.ExtensionError as error:  # it is started again for the next input
            message = f"an event is lost: {self._clean_up(state, error)}"
            self._show(LogLine(state.program.name, Severity.WARNING, message))

    def begin(self, changed: Iterable[Path] = ()) -> None:
        """Begin another build: problems are forgotten, and extensions that changed start anew."""
        paths = tuple(changed)
        self._values_before, self._values = self._values, {}
        for state in self._states:
            state.problem = ""
            state.outputs, state.used = state.used, {}
            folder = state.program.command.folder
            if any(path.is_relative_to(folder) for path in paths):
                state.outputs = {}
                self._end(state)
            elif state.process is not None and state.process.ended():
                self._end(state)
            elif state.process is not None:
                state.process.log.refill()

    def close(self) -> None:
        """End all processes."""
        for state in self._states:
            self._end(state)

    def _recall(
        self, state: _ExtensionState, key: bytes, queries: calls.InputQueries
    ) -> FunctionOutput | None:
        """Return the output for an equal input, if the queries of then have the same answers."""
        for outputs in (state.used, state.outputs):
            for remembered in outputs.get(key, ()):
                if all(queries(answer[0]) == answer for answer in remembered.answers):
                    state.cost.remembered += 1
                    if outputs is state.outputs:
                        state.used.setdefault(key, []).append(remembered)
                    return remembered.output
        return None

    def _converse(
        self, state: _ExtensionState, encoded: calls.EncodedInput, queries: calls.InputQueries
    ) -> JSON:
        """Answer queries until it has none, and return the last reply. Raises `ExtensionError`."""
        while True:
            reply = self._transform(state, encoded, queries)
            if not reply.queries:
                return reply
            before = len(queries.asked)
            for source in reply.queries:
                queries(source)
            if len(queries.asked) == before:
                raise calls.ExtensionError("it repeats queries that have been answered")
            if len(queries.asked) > _MAX_QUERIES:
                message = f"it has more than {_MAX_QUERIES:,} queries for one metapolicy"
                raise calls.ExtensionError(message)

    def _transform(
        self, state: _ExtensionState, encoded: calls.EncodedInput, queries: calls.InputQueries
    ) -> JSON:
        """Return its reply; it is asked again if it died. Raises `ExtensionError`."""
        for delay in (*_RESTART_DELAYS, None):
            try:
                process = state.process or self._start(state)
                began = time.perf_counter()
                answers, seconds = queries.asked.values(), state.program.answer_seconds
                reply = process.calls.transform(encoded, answers, seconds)
            except calls.ExtensionError as error:
                reason = self._clean_up(state, error)
                if delay is None or not error.died:
                    raise calls.ExtensionError(reason) from error
                message = f"{reason}; it is started again in {delay:g} seconds"
                self._show(LogLine(state.program.name, Severity.WARNING, message))
                time.sleep(delay)
            else:
                state.cost.questions += 1
                state.cost.answer_seconds += time.perf_counter() - began
                return reply
        raise AssertionError  # the last round returns or raises

    def _start(self, state: _ExtensionState) -> ExtensionProcess:
        began = time.perf_counter()
        state.process = ExtensionProcess(state.program, self._show)
        state.cost.starts += 1
        state.cost.start_seconds += time.perf_counter() - began
        return state.process

    def _clean_up(self, state: _ExtensionState, error: calls.ExtensionError) -> str:
        """End a process that failed, and return the reason: how it ended, if it has by itself."""
        process = state.process
        how = process.ended(1.0) if error.died and process is not None else ""
        self._end(state)
        return f"{how} before it answered" if how else str(error)

    def _end(self, state: _ExtensionState) -> None:
        process, state.process = state.process, None
        if process is not None:
            process.close()
