"""Changes of what judges a fleet: whoever loosens the judge changes the judgement.

Assertions, suppressions, declared objects and kinds, and CRDs decide about what is reported. Each
change by which less may be reported is told, with what it was and is.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from spokerender.findings.codes.shipping import LOOSENED
from spokerender.findings.phrasing import joined
from spokerender.findings.results import INFO, Result
from spokerender.judging.validation.laxer import find_laxer
from spokerender.kinds.table import find_row
from spokerender.model import Origin
from spokerender.model.refs import DataByRef
from spokerender.model.shapes import Json, JsonObject, as_list, exact_text
from spokerender.review.meaning.drafts import write_change, write_value

_LISTED = 5
_CURE = "take the change back, unless less is to be reported from now on"
At = Callable[..., Origin]
"""Returns the line of a field of the fleet file."""


def _has_pattern(entry: Json) -> bool:
    return not {"*", "?"}.isdisjoint(exact_text(entry))


def _has_row(entry: Json) -> bool:
    return find_row(entry["group"], entry["kind"]) is not None


def _names_nothing(entry: Json) -> bool:
    return "resource" not in entry


class Control(Struct, frozen=True):
    """A list in the `spec` of a fleet file: the effect of an entry that comes, goes or changes.

    Entries with equal fields `names` are one; without these, entries of equal content. The fields
    in `silent` decide nothing. An entry that comes is an info, unless it `is_wide`.
    """

    field: str
    added: str = ""
    gone: str = ""
    changed: str = ""
    names: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    is_wide: Callable[[Json], bool] = _has_pattern

    def index(self, spec: JsonObject) -> dict[str, tuple[int, Json]]:
        """Return the place of each entry in the list, by its name."""
        index = {}
        for number, entry in enumerate(as_list(spec.get(self.field))):
            own = [entry[key] for key in self.names] or [exact_text(self.read(entry))]
            index[".".join(own)] = number, entry
        return index

    def read(self, entry: Json) -> Json:
        """Return what an entry decides, whatever its name."""
        ignored = (*self.names, *self.silent)
        return {k: v for k, v in entry.items() if k not in ignored} if ignored else entry


_DECLARED = "its policies are judged by this, whatever their controller does"
_SETTINGS = "its policies are judged by this, whatever is set on the spokes"
_CONTROLS = (
    Control(
        "assertions",
        gone="nobody checks it any more",
        changed="it may let pass what it reported",
        names=("name",),
        silent=("message", "cure"),
    ),
    Control(
        "suppressions",
        "such a finding is an info from now on",
        silent=("reason",),
        is_wide=_names_nothing,
    ),
    Control("external", "such objects count as being on the spokes, whatever is there"),
    Control(
        "completeKinds",
        "an object that no file has counts as missing",
        "a reference to a missing one is no error any more",
    ),
    Control(
        "policyKinds",
        _DECLARED,
        "its policies are judged as if nothing had been declared",
        _DECLARED,
        names=("kind", "group"),
        is_wide=_has_row,
    ),
    Control("controllers", _SETTINGS, _SETTINGS, _SETTINGS, names=("name",)),
    Control("crds", gone="it validates no object any more"),
)


def compare_controls(before: JsonObject, after: JsonObject, at: At) -> Iterator[Result]:
    """Report what two specs of a fleet file say otherwise about what is checked, and how."""
    for row in _CONTROLS:
        old, new = row.index(before), row.index(after)
        contents = [row.read(entry) for _, entry in new.values()] if row.names else []
        for name in {**old, **new}:
            was, now = (row.read(side[name][1]) if name in side else None for side in (old, new))
            effect = row.added if was is None else row.gone if now is None else row.changed
            sides = (write_value(was or now),) if None in (was, now) else write_change(was, now)
            change = " -> ".join(text or "nothing" for text in sides)
            if was == now or not effect or (now is None and was in contents):
                continue
            is_info = was is None and not row.is_wide(new[name][1])
            yield LOOSENED.result(
                f"{row.field}: {f'{name}: ' if row.names else ''}{change}: {effect}",
                severity=INFO if is_info else None,
                cure=_CURE,
                field=f"spec.{row.field}",
                origin=at("spec", row.field, *new.get(name, ())[:1]),
            )


def compare_crds(before: DataByRef, after: DataByRef, at: At) -> Iterator[Result]:
    """Report the CRDs that take more than before, or are gone."""
    for ref, crd in before.items():
        fields = [*find_laxer(crd, after.get(ref, {}))]
        message = f"it takes more than before in {joined(fields, _LISTED)}" if fields else ""
        if ref not in after:
            message = "it is gone, and validates no object any more"
        if message:
            yield LOOSENED.result(message, cure=_CURE, resource=ref, origin=at("spec", "crds"))
