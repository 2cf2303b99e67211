"""Expressions about a spoke's topology, asked by people: to try things out, and in assertions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from render.findings.faults import Fault
from render.formats.cel.declaring import ANY, BOOL
from render.model import Manifest, Ref
from render.rendering.metapolicies.expressions import Compiler, Scope
from render.rendering.metapolicies.model import FailedError
from render.rendering.metapolicies.queries import RefusedError, ask
from render.rendering.metapolicies.seen import InForce, Seen
from render.rendering.metapolicies.templates import Reader, plain
from render.rendering.metapolicies.touched import Touched
from render.rendering.metapolicies.whereabouts import Here
from render.rendering.values.settings import Assertion

NOBODY = Manifest(Ref("", "", "", ""), {"metadata": {}}, None)
"""Who asks, where no policy does."""


def evaluate(
    source: str, seen: Seen, spoke: Mapping[str, Any], in_force: InForce, me: Ref | None = None
) -> Any:  # noqa: ANN401  (JSON of any shape)
    """What an expression comes to on a spoke, as JSON data; `me` is what it calls `self`.

    Raises:
        RefusedError: it is wrong, or fails.

    """
    manifest = NOBODY if me is None else seen.given.objects[seen.by_ref[me]]
    here = Here(seen, manifest, spoke, Touched({}), in_force)
    return ask(source, here, {"spoke": ANY}) if me is None else ask(source, here)


def broken(
    assertion: Assertion, seen: Seen, spoke: Mapping[str, Any], in_force: InForce
) -> Iterator[str]:
    """What an assertion has to say of a spoke: its message for all that breaks it.

    Raises:
        RefusedError: an expression of it is wrong, or fails.

    """
    here = Here(seen, NOBODY, spoke, Touched({}), in_force)
    compiler = Compiler()
    reader, names = Reader(compiler), {"spoke": ANY}
    loop = reader.loop(assertion.for_each, ("forEach",), names)
    when = compiler.expression(assertion.when, ("when",), loop.names, BOOL, "a truth value")
    that = compiler.expression(assertion.that, ("that",), loop.names, BOOL, "a truth value")
    message = reader.text(assertion.message, ("message",), loop.names)
    if compiler.faults:
        raise RefusedError(tuple(compiler.faults))
    scope = Scope({"spoke": dict(spoke)}, here, compiler.places)
    try:
        for each in loop.each(scope):
            if each.truth(when) and not each.truth(that):
                yield str(plain(message.filled(each)))
    except FailedError as error:
        fault = Fault(error.finding, error.message, error.cure, error.at)
        raise RefusedError((fault,)) from error
