"""Expressions of a definition: compiled with their place, and evaluated for a metapolicy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.codes.metapolicies import BAD_EXPRESSION, FAILED
from spokerender.findings.results import Fault
from spokerender.formats.cel.costs import BUDGET, MAX_WORK, WEIGHTS
from spokerender.formats.cel.declaring import BOOL, QUESTIONS
from spokerender.formats.cel.environment import UnevaluableError
from spokerender.formats.cel.library import Program, compiled
from spokerender.formats.cel.messages import is_message, plain
from spokerender.model.budget import Budget
from spokerender.wings.metapolicies.model import FailedError, Whereabouts

Step = str | int
_SPOKE = "spoke"
TARGET = "target"
"""What an expression calls the object that is changed or taken out."""
WORK_FOR_OBJECT = 30_000
_COST_OF_EVALUATION = 1_000
"""What an evaluation costs that does nothing: about as much as so many characters."""
_OF_SPOKE = ("name", "labels", "values")


class Compiler(Struct, eq=False):
    """Compiles a definition's expressions, and collects what is wrong with them."""

    faults: list[Fault] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)
    places: dict[int, tuple[Step, ...]] = field(default_factory=dict)
    varying: set[int] = field(default_factory=set)
    _names: set[str] = field(default_factory=lambda: {_SPOKE, TARGET})

    def follow(self, name: str, program: Program | None) -> None:
        """A name is given to what a program comes to."""
        if program is not None and id(program) in self.varying:
            self._names.add(name)

    def refuse(self, message: str, at: tuple[Step, ...], cure: str = "") -> None:
        """Something is wrong at a place of the definition."""
        self.faults.append(Fault(BAD_EXPRESSION, message, cure, at))

    def expression(
        self,
        source: Any,  # noqa: ANN401  (whatever the YAML holds)
        at: tuple[Step, ...],
        names: Mapping[str, str],
        wanted: str = "",
        called: str = "",
    ) -> Program | None:
        """Compile one that stands at a place; None where it is wrong, or is `true`."""
        if not isinstance(source, str):
            self.refuse("it must be an expression, as a text", at, "put it in quotes")
            return None
        if wanted == BOOL and source.strip() == "true":
            return None
        found = compiled(source, names)
        if isinstance(found, tuple):
            for fault in found:
                line = f"line {fault.line}, " if "\n" in source.strip() else ""
                message = f"{fault.message} ({line}column {fault.column})"
                self.refuse(message, at, _cure(fault.message))
            return None
        for path in found.paths:
            if path[0] == _SPOKE and len(path) > 1 and path[1] not in _OF_SPOKE:
                known = ", ".join(f"spoke.{word}" for word in _OF_SPOKE)
                self.refuse(f'a spoke has no "{path[1]}"', at, f"there are {known}")
        if wanted and found.returns != "dyn" and not found.returns.startswith(wanted):
            told = f"it comes to {shown_type(found.returns)}, where {called} is needed"
            self.refuse(told, at, "correct the expression")
        self.programs.append(found)
        self.places[id(found)] = at
        is_asking = any(call.function in QUESTIONS for call in found.calls)
        if is_asking or any(path[0] in self._names for path in found.paths):
            self.varying.add(id(found))
        return found


def _cure(message: str) -> str:
    if "undefined field 'spec'" in message:
        return "`self` is as Kuadrant has it, without a spec: that is called `spec` here"
    return "correct the expression"


def shown_type(name: str) -> str:
    """A type, for people."""
    outer = name.partition("(")[0]
    known = {"string": "a text", "int": "a number", "bool": "a truth value", "list": "a list"}
    return known.get(outer, "a mapping" if outer == "map" else f"a {outer.rpartition('.')[2]}")


def expressions_budget(objects: int = 0) -> Budget:
    """Return the budget of all assertions, or of the metapolicies of one kind, in characters.

    It is for the objects of all spokes together. About 0.5 s are free, and 0.5 ms for an object.
    """
    return Budget(3 * MAX_WORK + WORK_FOR_OBJECT * objects)


class Scope(Struct, frozen=True, eq=False):
    """The names of an expression and their values, and the topology that it may ask."""

    values: Mapping[str, Any]
    where: Whereabouts
    places: Mapping[int, tuple[Step, ...]]
    varying: frozenset[int] = frozenset()

    def varies(self, program: Program) -> bool:
        """Whether an expression asks the topology, or looks at the spoke."""
        return id(program) in self.varying

    def with_value(self, name: str, value: Any) -> Scope:  # noqa: ANN401  (JSON, or a message)
        """With one name more."""
        return replace(self, values={**self.values, name: value})

    def value(self, program: Program) -> Any:  # noqa: ANN401  (JSON, or a message)
        """What an expression comes to. Raises `FailedError`, `BudgetSpentError`."""
        budget = self.where.budget
        values = (self.values[name] for name in program.names if name in self.values)
        cost = _COST_OF_EVALUATION + len(program.source) + sum(map(WEIGHTS.of, values))
        budget.spend(cost, "evaluating expressions")
        try:
            return program.evaluate(self.values, self.where)
        except UnevaluableError as error:
            cure = "correct the expression, or say with has() that there need not be such a field"
            raise FailedError(FAILED, str(error), cure, self.places[id(program)]) from error
        finally:
            budget.spent += min(BUDGET.spent, BUDGET.limit)

    def truth(self, program: Program | None) -> bool:
        """Whether it is true; an expression that is not there is."""
        if program is None:
            return True
        value = self.value(program)
        if not isinstance(value, bool):
            self._refuse(program, "a truth value")
        return bool(value)

    def items(self, program: Program) -> Sequence[Any]:
        """The list that it comes to."""
        value = self.value(program)
        if not isinstance(value, list):
            self._refuse(program, "a list")
        return list(value)

    def text(self, program: Program) -> str:
        """A text, or a number or a truth value as one."""
        value = self.value(program)
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str | int | float):
            self._refuse(program, "a text")
        return str(value)

    def data(self, program: Program) -> Any:  # noqa: ANN401  (JSON of any shape)
        """JSON data."""
        value = self.value(program)
        if not _is_plain(value):
            self._refuse(program, "data")
        return value

    def _refuse(self, program: Program, wanted: str) -> None:
        message = f"it comes to something else, where {wanted} is needed"
        raise FailedError(FAILED, message, "correct the expression", self.places[id(program)])


def _is_plain(value: Any) -> bool:  # noqa: ANN401  (JSON, or a message)
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return not is_message(value)


def data_of(value: Any) -> Any:  # noqa: ANN401  (JSON, or a message)
    """A value as JSON data, its messages as mappings."""
    if isinstance(value, dict):
        return {key: data_of(item) for key, item in value.items()}
    if isinstance(value, list):
        return [data_of(item) for item in value]
    return plain(value) if is_message(value) else value
