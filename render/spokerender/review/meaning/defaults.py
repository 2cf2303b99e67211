"""Tell fields that come or go with what their CRD has for them by default."""

from __future__ import annotations

from spokerender.formats.comparing import ABSENT, fingerprint
from spokerender.model import Ref
from spokerender.model.shapes import Json
from spokerender.review.comparison.views import SpokeView


def is_same_by_default(
    view: SpokeView, ref: Ref, items: str, change: tuple[str, Json, Json]
) -> bool:
    """Tell whether a field of an entry of a list in `spec` (`items`) is the same to an API server.

    Args:
        view: what has the object.
        ref: the object.
        items: the list, such as `rules`.
        change: the field, and its values before and after.

    """
    # Start-up counts: the CRD is read only where something differs.
    from spokerender.judging.validation.defaults import fill_defaults  # noqa: PLC0415

    field, *values = change
    kind = view.kind((ref.group, ref.kind))
    sides = ({items: [{} if value is ABSENT else {field: value}]} for value in values)
    return len({fingerprint(fill_defaults(kind, side)) for side in sides}) == 1
