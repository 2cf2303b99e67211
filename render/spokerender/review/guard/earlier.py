"""Objects that change or go as they were before, with slots where the spokes' values were.

The spokes that share a new object mostly shared the old one too. So the old text of one of them is
parsed, and the lines that differ tell which other spokes had the same, up to values of their own.
"""

from msgspec import Struct

from spokerender.judging.effective.blocks import read_blocks
from spokerender.judging.effective.guarding import measure_alone
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.judging.judge import is_read
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.fields import read_value
from spokerender.kinds.kind import Kind
from spokerender.model.memo import memoised
from spokerender.model.shapes import as_list, as_mapping
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.trees import ObjectText
from spokerender.review.comparison.documents import ObjectReader

_TARGETS = ("targetRef", "targetRefs", "targetSelectors")


class Earlier(Struct, frozen=True, eq=False):
    """An object as it was before the change.

    `variant` is None where the change can't affect protection, or the object can't be read. `own`
    are its texts that the new object does not have: a spoke's value in one has no slot.
    """

    variant: Variant | None
    own: frozenset[str] = frozenset()

    def has_values_of(self, bundle: Bundle) -> bool:
        """Return whether a value of the spoke is in a text where it should be a slot."""
        return any(_has_value(text, bundle) for text in self.own)


def _has_value(text: str, bundle: Bundle) -> bool:
    """Return whether a text contains one of the spoke's own values."""
    return any(isinstance(v, str) and v and v in text for v in bundle.values.values())


class EarlierObjects:
    """A reader of objects as they were, which reads each distinct difference once."""

    def __init__(self, reader: ObjectReader) -> None:
        self._reader = reader
        self._by_lines: dict[tuple[object, ...], Earlier] = {}
        self._gone: dict[tuple[object, ...], Earlier] = {}
        self._alike: dict[tuple[object, ...], Variant] = {}

    def find_gone(self, text: bytes, bundle: Bundle) -> Earlier:
        """Return an object that goes, with slots for the texts that the spoke has of its own."""
        own = bundle.own_texts()
        # Marks are the numbers of values, which are those of other slots in other blueprints.
        key = tuple(bundle.values), own.blank(text), own.list_short(text)
        if key not in self._gone:
            variant = self._reader.parse(text)
            if variant is not None:
                # Other blueprints lose the same: what is one object is judged once.
                ref, data = own.with_slots((variant.ref, variant.object), bundle.values)
                variant = self._reader.variant_once(ref, data)
            texts = variant.node_texts() if variant is not None else frozenset[str]()
            self._gone[key] = Earlier(variant, texts)
        return self._gone[key]

    def find(self, old: bytes, new: ObjectText, bundle: Bundle) -> Earlier:
        """Return the object that had the text `old` on a spoke and is `new` now."""
        if new.variant is None:
            return Earlier(None)
        start, end, lines = _differing_lines(old, new.text)
        own = bundle.own_texts()
        marked = own.blank(lines)
        # What policies ask is ranked by value.
        if marked != lines and self._is_security(new.variant):
            return self._read(old, new.variant, bundle)
        # Marks are the numbers of values, which are those of other slots in other blueprints.
        slots = tuple(bundle.values) if marked != lines else ()
        key = (new.variant, start, end, marked, slots, own.list_short(lines))
        if key not in self._by_lines:
            self._by_lines[key] = self._read(old, new.variant, bundle)
        return self._by_lines[key]

    @memoised
    def first_alike(self, variant: Variant) -> Variant:
        """Return the first form of an object of the hub that is protected, and protects, like this.

        Most overrides make a form of their own, which is compared as the common one is. The slots
        are the same, as other blueprints may have no values for them.
        """
        key = repr(_protection_key(variant, self._reader.catalogue))
        return self._alike.setdefault((id(variant.manifest), key, variant.slots()), variant)

    def _read(self, old: bytes, new: Variant, bundle: Bundle) -> Earlier:
        before, catalogue = self._reader.parse(old), self._reader.catalogue
        if before is None:
            return Earlier(None)
        data = bundle.unfilled(before.object, new.object)
        if not self._is_security(new):
            data = bundle.own_texts().with_slots(data, bundle.values)
        variant = self._reader.variant_once(new.ref, data)
        if _protection_key(variant, catalogue) == _protection_key(new, catalogue):
            return Earlier(None)
        return Earlier(variant, variant.node_texts() - new.node_texts())

    def _is_security(self, variant: Variant) -> bool:
        return self._reader.catalogue.kind(variant.ref.group, variant.ref.kind).security


def _differing_lines(old: bytes, new: bytes) -> tuple[int, int, bytes]:
    """Return the numbers of equal lines at the start and the end, and the old ones between."""
    before, after = old.split(b"\n"), new.split(b"\n")
    most = min(len(before), len(after))
    start = next((n for n in range(most) if before[n] != after[n]), most)
    most -= start
    end = next((n for n in range(most) if before[-1 - n] != after[-1 - n]), most)
    return start, end, b"\n".join(before[start : len(before) - end])


def _protection_key(variant: Variant, catalogue: Catalogue) -> object:
    """Return what is equal for two texts of an object between which no protection can change."""
    kind = catalogue.kind(variant.ref.group, variant.ref.kind)
    if kind.security:
        return variant.node, kind.is_dry_run(variant.object), _policy_key(variant, kind)
    if is_read(kind):
        return variant.node, variant.object
    if variant.node.is_route:
        # Policies may repeat the matches of a route's rules, to be for these rules only.
        rules = as_list(read_value(variant.object, ("spec", "rules")))
        return variant.node, [read_value(rule, ("matches",)) for rule in rules]
    if variant.node.listeners:
        # Certificates of clients may be asked for by a Gateway, or by each listener.
        spec = as_mapping(variant.object.get("spec"))
        settings = (spec, *map(as_mapping, as_list(spec.get("listeners"))))
        return variant.node, [item.get("tls") for item in settings]
    return None if kind.is_policy else variant.node


def _policy_key(variant: Variant, kind: Kind) -> object:
    """Return the whole `spec`, except for kinds whose rules are known.

    Of these only the names of the rules count, whether there are any, and what they can keep out: a
    rule is carried out whatever else it says.
    """
    spec = kind.read_spec(variant.object)
    if not spec or kind.merging is None or not kind.merging.rules:
        return spec
    policy = AttachedPolicy(variant.ref, kind, spec, ())
    blocks = read_blocks(policy)
    return (
        [
            (
                *(block.side, block.strategy, block.asked, block.beside, block.ignored),
                *(block.scope, block.is_empty, list(block.rules)),
            )
            for block in blocks
        ],
        measure_alone(policy, blocks),
        sorted(map(str, spec)),
        [spec.get(name) for name in _TARGETS],
    )


def is_harmless(variant: Variant, catalogue: Catalogue) -> bool:
    """Return whether an object may come or go and every other one is protected as before.

    A route may take requests of a guarded one, or leave them to an open one.
    """
    kind = catalogue.kind(variant.ref.group, variant.ref.kind)
    return kind.is_policy and not kind.security
