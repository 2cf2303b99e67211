"""Read fields as an API server has them: with defaults, and lists without an order in one order."""

from spokerender.formats.comparing import ABSENT
from spokerender.model import Ref
from spokerender.model.shapes import Json
from spokerender.review.comparison.views import SpokeView


def read_plain(view: SpokeView, ref: Ref, items: str, field: str, value: Json) -> Json:
    """Read a field of an entry of a list in `spec` (`items`) of an object, or of `spec` itself."""
    # Start-up counts: the CRD is read only where something differs.
    from spokerender.judging.validation.defaults import fill_defaults  # noqa: PLC0415

    entry = {} if value is ABSENT else {field: value}
    written = {items: [entry]} if items else entry
    spec = fill_defaults(view.kind((ref.group, ref.kind)), written, sorts=True)
    return (spec[items][0] if items else spec).get(field, ABSENT)
