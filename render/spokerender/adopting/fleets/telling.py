"""The report of an adopted fleet: drift first, then other differences, and what was left out."""

import json
from collections.abc import Mapping

from spokerender.adopting.fleets.adopt import Adoption
from spokerender.adopting.fleets.deciding import Departure
from spokerender.findings.phrasing import count, joined, listed
from spokerender.formats.comparing import ABSENT
from spokerender.model import Origin, Ref, grouped, shown
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import Json

_LONGEST = 60
_DRIFT, _OTHERS = "DRIFT (no label explains it)", "DIFFERENT"
_LABEL = "BY LABEL (labels are guessed from names)"
_ALONE, _EXISTING = "ALONE", "EXISTING (named by objects, and not among them)"


def tell(adopted: Adoption, placement: str) -> Mapping[str, list[list[str]]]:
    """Return the report's sections: rows by title. Rows name the placement file `placement`."""
    sections: dict[str, list[list[str]]] = {_DRIFT: []}
    sections["LEFT THERE (no placement can say what it is there)"] = [
        [f"{ref} on {joined(names, 5)}"] for ref, names in grouped(sorted(adopted.stuck)).items()
    ]
    sections |= {_LABEL: [], _OTHERS: []}
    for item in adopted.decider.departures:
        title = _DRIFT if item.is_drift else _LABEL if item.label else _OTHERS
        name = f"{item.ref}, {shown(item.path)}" if item.path else str(item.ref)
        line = _find_line(adopted, item.ref, item.path)
        sections[title].append([name, f"{_compare(item, adopted)}, kept at {placement}:{line}"])
    taken_out = {
        (_find_line(adopted, ref, path), f"{ref.kind}, {shown(path)}"): _show(value)
        for ref, path, value in adopted.decider.taken_out
    }
    sections["TAKEN OUT (rendering adds it, and no cluster has it)"] = [
        [name, f"{value}: delete the override at {placement}:{line} to have it"]
        for (line, name), value in taken_out.items()
    ]
    values, places = adopted.decider.values, adopted.decider.places
    distinct = {name: len({*map(str, own.values())}) for name, own in values.items()}
    sections["VALUES"] = [
        [f"{name}: {count(number, 'value')}, {count(places[name], 'place')}"]
        for name, number in distinct.items()
    ]
    sections["PAIRED"] = [[text] for text in adopted.assembly.paired]
    sections["UNPAIRED"] = [[text] for text in adopted.assembly.unpaired]
    sections |= {_ALONE: [], _EXISTING: []}
    total = len(adopted.clusters)
    for gateway in adopted.assembly.gateways:
        alone = gateway.names if len(gateway.names) < total else ()
        absent = [name for name in gateway.names if name not in gateway.forms]
        for title, names in ((_ALONE, alone), (_EXISTING, absent)):
            if names:
                where = f"on {joined(names, 3)}, of {count(total, 'cluster')}"
                sections[title].append([f"{gateway.ref} {where}"])
    sections["ACCEPTED (wrong already; suppressed in fleet.yaml)"] = [
        [f"{item.code} {item.resource}", item.message] for item in adopted.accepted
    ]
    sections["NOT TAKEN"] = [[count(n, kind)] for kind, n in sorted(adopted.not_taken.items())]
    return {title: entries for title, entries in sections.items() if entries}


def _find_line(adopted: Adoption, ref: Ref, path: FieldPath) -> int:
    """Return the line of the first override that changes a field of an object, or 1."""
    lines = (
        line
        for override, line in zip(adopted.overrides, adopted.lines, strict=True)
        for one in override.operations
        if ref in override.refs and one.path[: len(path)] == path and bool(one.path) == bool(path)
    )
    return next(lines, 1)


def _compare(departure: Departure, adopted: Adoption) -> str:
    """Return the value on most clusters, and the other values with their clusters, as text."""
    texts = []
    for number, (value, clusters) in enumerate(departure.values):
        where = str(len(clusters)) if not number else departure.label or listed(clusters)
        text = f"{_show(value)} on {where}"
        if number and not departure.label:
            form = adopted.assembly.objects[departure.ref].forms.get(clusters[0])
            absent = (it.path for it in adopted.clusters if it.name == clusters[0])
            text += f": {form.find(departure.path) if form else Origin(next(absent))}"
        texts.append(text)
    return "; ".join(texts)


def _show(value: Json) -> str:
    if value is ABSENT:
        return "absent"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
