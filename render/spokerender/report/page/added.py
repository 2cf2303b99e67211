"""The objects that are new on spokes, as the page shows them."""

from spokerender.formats.comparing import ABSENT, Change
from spokerender.kinds.credentials import Redactor, find_credentials
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.changes.values import Difference, DifferenceKind


class AddedObjects:
    """Reads objects of rendered spokes; credentials in them are replaced by numbers."""

    def __init__(self, rendered: Rendered) -> None:
        self._rendered = rendered
        self._redactor = Redactor()

    def read(self, item: Difference) -> tuple[Change, ...]:
        """Return the whole of an object that is new, as its first spoke gets it; else nothing."""
        bundle = self._rendered.bundles.get(item.folders[0])
        ref = item.ref
        if item.kind is not DifferenceKind.ADDED or bundle is None or ref is None:
            return ()
        variant = bundle.find(ref)
        if variant is None:
            return ()
        data = bundle.object_of(variant)
        secrets = find_credentials(self._rendered.hub.catalogue.kind(ref.group, ref.kind), data)
        return (Change((), ABSENT, self._redactor.data(data, secrets)),)
