"""Call extensions: a process is started for the first input, and answers all later inputs.

An extension that dies, hangs, floods or violates the protocol is ended, and not called again.
"""

import time
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from spokerender.findings.codes.metapolicies import EXTENSION, NOT_PURE
from spokerender.findings.results import Fault
from spokerender.model.shapes import Json
from spokerender.wings.metapolicies.functions import FunctionInput, FunctionOutput, RunCost
from spokerender.wings.metapolicies.runners.extensions import calls
from spokerender.wings.metapolicies.runners.extensions.process import (
    ExtensionProcess,
    ExtensionProgram,
    ShowLine,
)

_MAX_QUERIES = 1_000
_MAX_EXPECTED = 16
"""The queries for the last input that are answered before the extension sends them."""


class _RememberedOutput(Struct, frozen=True, eq=False):
    """An output, and the answers to queries that it depends on, by expression."""

    answers: Mapping[str, Json]
    output: FunctionOutput | Fault


class _ExtensionState(Struct, eq=False):
    """An extension: its process, if it runs, and its earlier outputs and queries.

    `failure` says why it is not called any more.
    `outputs` has outputs by the digest of their input, as a command may render two states of a
    project. `expected` has, by definition, the queries that the extension made for its last input.
    """

    program: ExtensionProgram
    cost: RunCost
    process: ExtensionProcess | None = None
    failure: Fault | None = None
    outputs: dict[bytes, list[_RememberedOutput]] = field(default_factory=dict)
    expected: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Extensions:
    """The extensions of a project (`functions.Runner`)."""

    def __init__(
        self,
        programs: Sequence[ExtensionProgram],
        show: ShowLine,
        *,
        twice: bool = False,
    ) -> None:
        """Prepare to run extensions; `run` starts them.

        With `twice`, an extension gets each input twice, and both outputs must be equal.
        """
        self._show, self._twice = show, twice
        self.costs: dict[str, RunCost] = {}
        self._states: list[_ExtensionState] = []
        self.host(programs)

    def host(self, programs: Sequence[ExtensionProgram]) -> None:
        """End all processes, and replace the programs."""
        self.close()
        self.programs = programs
        self._states = [
            _ExtensionState(program, self.costs.setdefault(program.name, RunCost()))
            for program in programs
        ]
        self._by_definition = {
            name: state for state in self._states for name in state.program.definitions
        }

    def run(self, request: FunctionInput) -> FunctionOutput | Fault:
        """Return the output for an input, from an earlier equal input if there was one."""
        state, question = self._by_definition[request.definition], calls.ExtensionQuestion(request)
        key = question.digest()
        remembered = self._recall(state, key, question)
        if remembered is not None:
            return remembered
        if state.failure is not None:
            return state.failure
        question.begin(state.expected.get(request.definition, ()))
        try:
            reply = self._converse(state, question)
            output = question.decode(reply)
            if self._twice and self._transform(state, question) != reply:
                name = state.program.name
                message = f"the extension {name} gives two different outputs for one input"
                return Fault(NOT_PURE, message)
        except calls.ExtensionError as error:
            self._end(state)
            # An extension that failed is not started again: later inputs get the same fault.
            state.failure = Fault(EXTENSION, f"the extension {state.program.name} fails: {error}")
            return state.failure
        state.expected[request.definition] = tuple(question.answers)[-_MAX_EXPECTED:]
        state.outputs.setdefault(key, []).append(_RememberedOutput(question.answers, output))
        return output

    def close(self) -> None:
        """End all processes."""
        for state in self._states:
            self._end(state)

    def _recall(
        self, state: _ExtensionState, key: bytes, question: calls.ExtensionQuestion
    ) -> FunctionOutput | Fault | None:
        """Return an earlier output for the same input and the same answers to queries, or None."""
        for remembered in state.outputs.get(key, ()):
            answers = remembered.answers.items()
            if all(question.answer(source) == answer for source, answer in answers):
                state.cost.remembered += 1
                return remembered.output
        return None

    def _converse(self, state: _ExtensionState, question: calls.ExtensionQuestion) -> Json:
        """Answer queries until a reply has none, and return that reply. Raises `ExtensionError`."""
        while True:
            reply = self._transform(state, question)
            if not reply.queries:
                return reply
            before = len(question.answers)
            for source in reply.queries:
                question.answer(source)
            if len(question.answers) == before:
                raise calls.ExtensionError("it repeats queries that have been answered")
            if len(question.answers) > _MAX_QUERIES:
                message = f"it has more than {_MAX_QUERIES:,} queries for one metapolicy"
                raise calls.ExtensionError(message)

    def _transform(self, state: _ExtensionState, question: calls.ExtensionQuestion) -> Json:
        """Return the reply to one call; starts the process if needed. Raises `ExtensionError`."""
        began = time.perf_counter()
        try:
            state.process = state.process or ExtensionProcess(state.program, self._show)
            seconds = state.program.answer_seconds
            return state.process.calls.transform(question.message(), seconds)
        except calls.ExtensionError as error:
            # A process that died says more about the reason than the call that it broke off.
            how = state.process.ended(1.0) if error.died and state.process is not None else ""
            self._end(state)
            message = f"{how} before it answered" if how else str(error)
            raise calls.ExtensionError(message) from error
        finally:
            state.cost.runs += 1
            state.cost.seconds += time.perf_counter() - began

    def _end(self, state: _ExtensionState) -> None:
        process, state.process = state.process, None
        if process is not None:
            process.close()
