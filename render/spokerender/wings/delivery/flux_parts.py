"""Parts of Flux's Kustomizations: the sources that they take trees from, and when they are ready.

Health expressions are CEL over an object's fields (fluxcd/pkg, runtime/cel/status_evaluator.go). An
object is in progress where its own `status.observedGeneration` is old, before any is asked, and
where none is true or what it asks for is missing. None says that an object has failed: a policy
that is refused because its Gateway is not there yet would end the wait at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from spokerender.formats.templating import TemplateProblem, compile_template, is_template
from spokerender.kinds.statuses import Reported, find_reported
from spokerender.wings.delivery.engine import Delivered
from spokerender.wings.delivery.problem import DeliveryProblem

if TYPE_CHECKING:  # the models of a file that has them
    from spokerender.wings.delivery.config.flux import Flux, FluxRepository

Source = Mapping[str, Any]
"""A source to render; `is_own` where it is one spoke's alone."""

_FRESH = "(!has(c.observedGeneration) || c.observedGeneration == metadata.generation)"
"""Conditions of an older generation of the object say nothing of this one."""


def sources(settings: Flux, fleet: Delivered) -> dict[str, Source]:
    """The source of each spoke by name, where the settings ask for sources.

    Raises:
        DeliveryProblem: a URL can't be made.

    """
    asked = settings.source
    if asked is None:
        return {}
    made = {
        "kind": "OCIRepository" if asked.is_artifact else "GitRepository",
        "namespace": settings.namespace,
        "ref": asked.ref.model_dump(exclude_none=True),
        "secret": asked.secret,
    }
    is_own = is_template(asked.url)
    return {
        spoke.name: {
            **made,
            "name": f"{asked.name}-{spoke.name}" if is_own else asked.name,
            "url": _url(asked, spoke.context) if is_own else asked.url,
            "is_own": is_own,
        }
        for spoke in fleet.spokes
    }


def _url(asked: FluxRepository, spoke: Mapping[str, Any]) -> str:
    try:
        value = compile_template(asked.url).evaluate({"spoke": spoke})
    except TemplateProblem as problem:
        message = f'spoke "{spoke["name"]}" has no source: {problem}'
        raise DeliveryProblem(message, "mend source.url, or the spoke") from None
    return str(value)


def health(fleet: Delivered, spoke: str) -> list[Mapping[str, str]]:
    """An expression for each kind of the spoke's objects of whose status something is known."""
    kinds = {
        (str(each.data.get("apiVersion")), each.ref.group, each.ref.kind)
        for each in fleet.objects(spoke)
    }
    return [
        {"api_version": version, "kind": kind, "current": " && ".join(_current(known))}
        for version, group, kind in sorted(kinds)
        if (known := find_reported(fleet.catalogue.kind(group, kind))) is not None
    ]


def _current(known: Reported) -> Iterator[str]:
    """What holds of an object that is in force."""
    if known.in_ancestors:
        inner = " && ".join(_conditions(known, "a"))
        yield "has(status.ancestors) && status.ancestors.size() > 0"
        yield f"status.ancestors.all(a, {inner})"
    else:
        yield from _conditions(known, "status")


def _conditions(known: Reported, place: str) -> Iterator[str]:
    yield f"has({place}.conditions)"
    settled = dict(known.settled)
    for name in known.conditions:
        holds = 'c.status == "True"'
        if name in settled:
            holds = f'({holds} || c.reason == "{settled[name]}")'
        yield f'{place}.conditions.exists(c, c.type == "{name}" && {holds} && {_FRESH})'
