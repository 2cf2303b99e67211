"""Finds the lines of fields in the files of objects."""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from spokerender.findings.results import Result
from spokerender.formats.comparing import Steps, located
from spokerender.formats.yamlio import reading
from spokerender.model import FieldPath, Manifest, Origin
from spokerender.model.manifests import Original
from spokerender.model.shapes import Json

_STEP = re.compile(r"\[([^\]]*)\]|([^.\[]+)")


def hub_line(manifest: Manifest, path: Steps = ()) -> Origin:
    """Return the line of a field in the hub's file, or of the nearest parent in the file."""
    written = manifest.written
    if written is None or not written.text:
        return manifest.origin
    return _find_line(written, located(path, written.object))


def with_lines(results: Iterable[Result], written: Iterable[Original | None]) -> tuple[Result, ...]:
    """Return the findings; a finding about a field of an object in `written` gets its line."""
    by_place = {item.origin: item for item in written if item is not None and item.text}

    def move(result: Result) -> Result:
        item = by_place.get(result.origin) if result.field and result.origin else None
        if item is None:
            return result
        return replace(
            result, origin=_find_line(item, tuple(_read_path(result.field, item.object)))
        )

    return tuple(map(move, results))


def _find_line(written: Original, path: FieldPath) -> Origin:
    text, steps = written.text, written.steps
    offset = reading.locate(text, (*steps, *path)) - reading.locate(text, steps)
    return replace(written.origin, line=written.origin.line + offset)


def _read_path(field: str, data: Json) -> Iterator[str | int]:
    """Yield the steps of `field`, a path in the form of `refs.shown`, as far as `data` has them."""
    for bracketed, plain in _STEP.findall(field):
        step: str | int | None = bracketed or plain
        if isinstance(data, list):
            step = next((i for i, item in enumerate(data) if _is_meant(bracketed, i, item)), None)
        elif not isinstance(data, Mapping) or step not in data:
            return
        if step is None:
            return
        yield step
        data = data[step]


def _is_meant(text: str, index: int, item: Json) -> bool:
    """Return whether `text`, from the brackets of a path, is the item's index or `key=value`s."""
    if "=" not in text or not isinstance(item, Mapping):
        return text == str(index)
    pairs = (pair.partition("=") for pair in text.split(","))
    return all(str(item.get(key)) == value for key, _, value in pairs)
