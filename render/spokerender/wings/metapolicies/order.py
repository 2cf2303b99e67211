"""In which order metapolicies' definitions run: what one writes, another reads after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spokerender.findings.codes.metapolicies import CYCLE
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.wings.metapolicies.config.definitions import MetapolicyDocument
from spokerender.wings.metapolicies.definitions import Definition, read
from spokerender.wings.metapolicies.model import Resources


def in_order(
    documents: Sequence[MetapolicyDocument], resources: Resources
) -> tuple[Definition, ...]:
    """The definitions of all documents in their order; what does not wait goes by name.

    Raises:
        InputError: one is wrong, or some wait for each other; then it shows the circle.

    """
    by_name = {each.name: each for each in read(documents, resources)}
    waits = waiting(by_name)
    done: list[str] = []
    while len(done) < len(by_name):
        left = [name for name in by_name if name not in done]
        ready = next((name for name in left if waits[name] <= {*done}), None)
        if ready is None:
            raise InputError((_circle(waits, left, by_name),))
        done.append(ready)
    return tuple(by_name[name] for name in done)


def waiting(by_name: Mapping[str, Definition]) -> dict[str, set[str]]:
    """Which definitions each waits for: those that write what it reads, and those it names.

    Who is told to go after another does not make that one wait, whatever it writes.
    """
    return {
        name: {
            other.name
            for other in by_name.values()
            if other is not each
            and (other.name in each.after or (why(each, other) and each.name not in other.after))
        }
        for name, each in by_name.items()
    }


def why(each: Definition, other: Definition) -> list[str]:
    """The kinds for which one waits for another."""
    reads = each.function.reads | {each.kind}
    return sorted(kind for _, kind in reads & other.function.writes)


def _circle(
    waits: Mapping[str, set[str]], stuck: Sequence[str], by_name: Mapping[str, Definition]
) -> Result:
    way = [stuck[0]]
    while (following := min(name for name in waits[way[-1]] if name in stuck)) not in way:
        way.append(following)
    names = [by_name[name] for name in way[way.index(following) :]]
    steps = []
    for each, other in zip(names, [*names[1:], names[0]], strict=True):
        kinds = ", ".join(why(each, other))
        reason = (
            f"reads {kinds}, which {other.name} writes" if kinds else f"goes after {other.name}"
        )
        steps.append(f"{each.name} {reason}")
    return CYCLE.result(
        "; ".join(steps),
        cure="say with spec.after of one of them which it goes after",
        field="spec.after",
        origin=names[0].document.at("spec"),
    )
