"""Expressions that are asked while there is a metapolicy: by a function that is no expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spokerender.findings.results import Fault
from spokerender.formats.cel.declaring import ANY, POLICY
from spokerender.formats.cel.messages import message
from spokerender.wings.metapolicies.expressions import Compiler, Scope, data_of
from spokerender.wings.metapolicies.model import FailedError, Whereabouts
from spokerender.wings.metapolicies.views import policy_data

WITHOUT_SPOKE: Mapping[str, str] = {"self": POLICY, "spec": ANY}
NAMES: Mapping[str, str] = {**WITHOUT_SPOKE, "spoke": ANY}


class RefusedError(Exception):
    """An expression is wrong, or fails; `faults` say what is wrong with it, all at once."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        """At least one."""
        super().__init__(faults[0].message)
        self.faults = faults


def check(source: str) -> None:
    """Whether an expression is right, wherever it is asked. Raises `RefusedError`."""
    compiler = Compiler()
    if compiler.expression(source, (), NAMES) is None:
        raise RefusedError(tuple(compiler.faults))


def ask(source: str, where: Whereabouts, names: Mapping[str, str] = NAMES) -> Any:  # noqa: ANN401
    """What an expression comes to, as JSON data; the metapolicy is `self`, if that is a name.

    Raises:
        RefusedError: it is wrong, or fails.

    """
    values: dict[str, Any] = {"__KUADRANT_VERSION": "1_dev"}
    if "spoke" in names:
        values["spoke"] = dict(where.spoke)
    if "self" in names:
        values["self"] = message(POLICY, policy_data(where.ref, where.metapolicy))
        values["spec"] = where.metapolicy.get("spec") or {}
    compiler = Compiler()
    program = compiler.expression(source, (), names)
    if program is None:
        raise RefusedError(tuple(compiler.faults))
    try:
        return data_of(Scope(values, where, compiler.places).value(program))
    except FailedError as error:
        fault = Fault(error.finding, error.message, error.cure)
        raise RefusedError((fault,)) from error
