"""Consequences: joined drafts of all spokes that are equal except for spokes' own values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.phrasing import listed
from spokerender.model import Ref, grouped
from spokerender.rendering.values.alike import AlikeFleet
from spokerender.rendering.values.bundles import Bundle
from spokerender.review.meaning.drafts import Draft
from spokerender.review.values import Consequence, ConsequencePath, LossName


class _DraftTexts(Struct, frozen=True):
    """The texts, paths and policies of joined drafts; they may have spokes' own values."""

    message: str
    cure: str
    places: tuple[ConsequencePath, ...]
    policies: tuple[Ref, ...]
    was: str
    now: str
    example: str


class _Named(Struct, frozen=True):
    """The names in joined drafts of consequences; `lost` are pairs of object and kind of loss."""

    hostnames: tuple[str, ...]
    names: tuple[str, ...]
    objects: tuple[Ref, ...]
    lost: tuple[tuple[Ref, str], ...]


_DraftParts = tuple[_DraftTexts, _Named]
_Items = Sequence[tuple[Bundle, _Named]]
_NO_TEXTS = {"message": "", "cure": "", "policies": (), "was": "", "now": "", "example": ""}


class SpokeDrafts:
    """The drafts of all spokes; only drafts with equal cause, code and severity are joined."""

    def __init__(self) -> None:
        self._drafts: dict[Draft, dict[_DraftParts, list[Bundle]]] = {}

    def add(self, drafts: Iterable[Draft], bundles: Iterable[Bundle]) -> None:
        """Add the drafts of equal spokes.

        Drafts that differ only in their paths and the policies on these are joined.
        """
        alike = tuple(bundles)
        by_draft = grouped((_without_places(draft), draft) for draft in drafts)
        for draft, group in by_draft.items():
            places = dict.fromkeys(item.place for item in group if item.levels)
            hostnames = dict.fromkeys(name for item in group for name in item.hostnames)
            names = dict.fromkeys(name for item in group for name in item.names)
            policies = dict.fromkeys(policy for item in group for policy in item.policies)
            objects = dict.fromkeys(ref for item in group for ref in item.objects)
            lost = dict.fromkeys(entry for item in group for entry in item.lost)
            texts = _DraftTexts(
                draft.message,
                draft.cure,
                tuple(places),
                tuple(policies),
                draft.was,
                draft.now,
                group[0].example,
            )
            # Texts are not in the key: they may have slots, and are joined by value.
            spokes = self._drafts.setdefault(replace(draft, **_NO_TEXTS), {})
            named = _Named(tuple(hostnames), tuple(names), tuple(objects), tuple(lost))
            spokes.setdefault((texts, named), []).extend(alike)

    def join(self, every: Iterable[Bundle], old: Mapping[str, Bundle]) -> Iterator[Consequence]:
        """Yield the consequences; `every` has the spokes' bundles, `old` the earlier ones."""
        fleet = AlikeFleet(every if self._drafts else (), old)
        for draft, spokes in self._drafts.items():
            # Equal texts are one consequence, whatever the hostnames.
            joined: dict[_DraftTexts, list[tuple[Bundle, _Named]]] = {}
            for (texts, named), bundles in fleet.join(spokes.items()):
                joined.setdefault(texts, []).extend((bundle, named) for bundle in bundles)
            for texts, items in joined.items():
                # By name, so that the order of spokes in a message does not depend on blueprints.
                in_order = sorted(items, key=lambda item: item[0].spoke.name)
                yield _join(draft, texts, in_order, fleet)


def _join(draft: Draft, texts: _DraftTexts, items: _Items, fleet: AlikeFleet) -> Consequence:
    """Return a consequence of some spokes, with placeholders for spokes' own values."""
    bundles = [bundle for bundle, _ in items]
    common = fleet.name_own(texts, bundles)
    hostnames = (bundle.text(name) for bundle, named in items for name in named.hostnames)
    # With each spoke's own names, by which consequences and losses are matched.
    objects = (ref for bundle, named in items for ref in bundle.filled(named.objects))
    result = draft.kind.result(
        # Replaced last, when the hostnames of all spokes are known.
        common.message.replace("{names}", listed(_list_names(items, fleet))),
        cure=common.cure,
        resource=draft.cause.resource,
        origin=draft.cause.origin,
        severity=draft.severity,
        spokes=tuple(sorted(bundle.spoke.name for bundle in bundles)),
    )
    return Consequence(
        result=result,
        topic=draft.topic,
        places=common.places,
        hostnames=tuple(dict.fromkeys(hostnames)),
        policies=common.policies,
        was=common.was,
        now=common.now,
        objects=frozenset(objects),
        example=common.example,
        losses=tuple(
            LossName(bundle.spoke.name, *entry)
            for bundle, named in items
            for entry in bundle.filled(named.lost)
        ),
    )


def _list_names(items: _Items, fleet: AlikeFleet) -> Sequence[str]:
    """Return hostnames for a message: with placeholders if the spokes agree, else of all spokes."""
    alike, *others = {named.names for _, named in items}
    if not others:
        return fleet.name_own(alike, [bundle for bundle, _ in items])
    return [*dict.fromkeys(bundle.text(name) for bundle, named in items for name in named.names)]


def _without_places(draft: Draft) -> Draft:
    """Return a draft without the fields that differ between joined drafts."""
    # The name on the spokes may differ where the cause is one object of the hub.
    cause = replace(draft.cause, placed=None)
    places = ("levels", "match", "others", "policies", "hostnames", "names", "lost")
    return replace(draft, cause=cause, example="", **dict.fromkeys(places, ()))
