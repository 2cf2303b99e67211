"""KRM functions: programs that render metapolicies, each started once for an input."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.edge.processes import Command, Ended, Limits, ProcessError, find_program, run
from spokerender.findings.codes.metapolicies import FUNCTION, FUNCTION_TOLD, NOT_PURE
from spokerender.findings.results import Severity
from spokerender.wings.metapolicies.config.metapolicies import ExecFunction
from spokerender.wings.metapolicies.model import Question, Reply, Told
from spokerender.wings.metapolicies.resourcelists import answered, asked, errors

_SAID_LINES = 5
"""How much of what a function said is told: its last words are why it failed."""
_WHO_RUNS_IT = {"LOG_TO_STDERR": "true", "STRUCTURED_RESULTS": "true"}
"""As kustomize and kpt set it for functions in containers."""


class Cost(Struct):
    """What a function has cost: how often it was run, how long that took, how often it was not."""

    runs: int = 0
    run_seconds: float = 0.0
    remembered: int = 0


class Functions(Struct, frozen=True, eq=False):
    """Runs the functions of a project (`metapolicies.model.Runner`).

    `settings` are those of each definition, by its name; with `twice` each input is given twice,
    and both answers must be equal.
    """

    folder: Path
    settings: Mapping[str, ExecFunction]
    twice: bool = False
    costs: dict[str, Cost] = field(default_factory=dict)
    _known: dict[tuple[str, bytes], Reply] = field(default_factory=dict)

    def run(self, questions: Sequence[Question]) -> Sequence[Reply]:
        """An answer to each question, in order; equal ones are asked once."""
        return [self._answer(question) for question in questions]

    def _answer(self, question: Question) -> Reply:
        key = question.definition, asked(question)
        cost = self.costs.setdefault(question.definition, Cost())
        if key in self._known:
            cost.remembered += 1
            return self._known[key]
        began = time.perf_counter()
        self._known[key] = self._asked(question, key[1])
        cost.runs += 1 + self.twice
        cost.run_seconds += time.perf_counter() - began
        return self._known[key]

    def _asked(self, question: Question, data: bytes) -> Reply:
        said = self.settings[question.definition]
        try:
            ended = self._ran(said, data)
            again = self._ran(said, data) if self.twice and not _failure(ended) else ended
        except ProcessError as error:
            return Reply(problem=f"{said.path}: {error}", finding=FUNCTION)
        failure = _failure(ended) or _failure(again)
        if failure:
            return Reply(problem=f"{said.path}: {failure}", finding=FUNCTION)
        if again.out != ended.out:
            problem = f"{said.path}: run twice, it answers differently {_where(ended, again)}"
            return Reply(problem=problem, finding=NOT_PURE)
        reply = answered(ended.out, question)
        if reply.problem:
            return Reply(problem=f"{said.path}: {reply.problem}", finding=reply.finding)
        said_besides = _last_words(ended).removeprefix(": ")
        if said_besides:
            told = Told(FUNCTION_TOLD, f"it says: {said_besides}", severity=Severity.INFO)
            return replace(reply, told=(*reply.told, told))
        return reply

    def _ran(self, said: ExecFunction, data: bytes) -> Ended:
        limits = Limits(said.timeout_seconds, said.max_memory_bytes, said.max_output_bytes)
        program = find_program(said.path, self.folder)
        command = Command(program, self.folder, said.args, _WHO_RUNS_IT | said.env)
        return run(command, data, limits)


def _failure(ended: Ended) -> str:
    """How it failed; nothing if it did not."""
    if ended.stopped:
        return f"{ended.stopped}{_last_words(ended)}"
    if ended.code < 0:
        return f"it was ended by signal {-ended.code}{_last_words(ended)}"
    if ended.code:
        told = errors(ended.out)
        return f"it exits with status {ended.code}{f': {told}' if told else _last_words(ended)}"
    return ""


def _last_words(ended: Ended) -> str:
    lines = ended.err.decode(errors="replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return f": {' / '.join(said[-_SAID_LINES:])}" if said else ""


def _where(one: Ended, other: Ended) -> str:
    """The first line in which two answers differ."""
    lines, others = one.out.split(b"\n"), other.out.split(b"\n")
    pairs = enumerate(zip(lines, others, strict=False), 1)
    line = next((number for number, (a, b) in pairs if a != b), min(len(lines), len(others)) + 1)
    return f"(line {line})"
