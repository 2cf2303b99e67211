"""The report of an adopted fleet: drift first, then other differences, and what was left."""

import json
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from spokerender.adopting.fleets.values import Adopted, Departure
from spokerender.findings.phrasing import count, joined, listed
from spokerender.formats.comparing import ABSENT
from spokerender.model import Origin, Ref, shown
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json

_LONGEST = 60
Locate = Callable[[str, Ref, FieldPath], Origin]
"""Returns the line of a field of an object on a cluster."""
_DRIFT, _LABEL, _OTHERS = (
    "DRIFT (no label explains it)",
    "BY LABEL (labels are guessed from names)",
    "DIFFERENT",
)


def tell(adopted: Adopted, placement: str, locate: Locate) -> Mapping[str, list[list[str]]]:
    """Return the lines of each entry by the title of its section, what matters most first."""
    sections: dict[str, list[list[str]]] = {_DRIFT: []}
    sections["LEFT THERE (no placement can say what it is there)"] = _list_left(adopted)
    sections |= {_LABEL: [], _OTHERS: []}
    for item in adopted.departures:
        ref = item.ref
        line = adopted.lines.get(ref) or adopted.lines.get(replace(ref, namespace="", name=""), 1)
        title = _DRIFT if item.is_drift else _LABEL if item.label else _OTHERS
        name = f"{ref}, {shown(item.path)}" if item.path else str(ref)
        says = f"{_compare(item, locate)}, kept at {placement}:{line}"
        sections[title].append([name, says])
    sections["VALUES"] = [
        [f"{name}: {count(distinct, 'value')}, {count(places, 'place')}"]
        for name, (distinct, places) in adopted.values.items()
    ]
    pairing, total = adopted.pairing, len(adopted.clusters)
    sections["PAIRED"] = [[text] for text in pairing.paired]
    sections["UNPAIRED"] = [[text] for text in pairing.unpaired]
    sections["ALONE"] = [
        [f"{item.ref} {_on([*item.members], total)}"]
        for item in pairing.gateways
        if len(item.members) < total
    ]
    sections["EXISTING (named by objects, and not among them)"] = [
        [f"{item.ref} {_on(sorted(item.absent), total)}"]
        for item in pairing.gateways
        if item.absent
    ]
    sections["ACCEPTED (wrong already; suppressed in fleet.yaml)"] = [
        [f"{item.code} {item.resource}", item.message] for item in adopted.accepted
    ]
    left = sorted(adopted.not_taken.items())
    sections["NOT TAKEN"] = [[count(number, kind)] for kind, number in left]
    return {title: entries for title, entries in sections.items() if entries}


def _compare(departure: Departure, locate: Locate) -> str:
    """Return what most clusters have, and what the others have where."""
    texts = []
    for number, (value, clusters) in enumerate(departure.values):
        text = _show(value) if departure.path or value is ABSENT else "there"
        where = str(len(clusters)) if not number else departure.label or listed(clusters)
        text += f" on {where}"
        if number and not departure.label:
            text += f": {locate(clusters[0], departure.ref, departure.path)}"
        texts.append(text)
    return "; ".join(texts)


def _show(value: Json) -> str:
    if value is ABSENT:
        return "absent"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _list_left(adopted: Adopted) -> list[list[str]]:
    """Return the objects that clusters have, and do not get from the hub."""
    left = adopted.left
    every = [*left.missing.items(), *left.apart.items()]
    every += [(column.ref, [*column.values]) for column in left.columns.values()]
    return [[f"{ref} on {joined(names, 5)}"] for ref, names in every]


def _on(names: list[str], total: int) -> str:
    return f"on {joined(names, 3)}, of {count(total, 'cluster')}"
