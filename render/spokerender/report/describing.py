"""The texts for a difference that all formats share: verb, object, note, and source lines."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.project import STALE
from spokerender.findings.phrasing import LISTED, count, joined, listed, on_spokes
from spokerender.findings.results import Result
from spokerender.formats.comparing import Change, Steps
from spokerender.model import grouped, shown
from spokerender.model.shapes import Json
from spokerender.rendering.values.alike import AlikeFleet
from spokerender.rendering.values.bundles import Bundle, How
from spokerender.rendering.values.provenance import FieldSource, Tracer
from spokerender.rendering.values.rendered import Rendered
from spokerender.report.fields import change_lines
from spokerender.review.changes.values import Difference, DifferenceKind, Varying
from spokerender.review.values import Consequence, ConsequencePath, Review, ReviewedState

_FEW, _DIGITS = 2, 8
"""The number of spokes that are named as exceptions, and the number of digits of a commit."""
_TEXT_ONLY = "only comments, the order of keys or the format"


class DescribedDifference(Struct, frozen=True):
    """A difference as texts; `where` is empty if whole spokes are added or removed.

    `sources` says where values come from: for each changed field, then for each varying field;
    without fields, for the object. It is empty for an object that was deleted from the hub.
    """

    verb: str
    subject: str
    where: str
    note: str
    sources: tuple[str, ...]
    others: tuple[str, ...]
    """Further objects with the same difference, or with a reference to the object's new name."""


class Describer:
    """Describes the differences of a fleet."""

    def __init__(self, rendered: Rendered) -> None:
        self._spokes = rendered.bundles
        self._tracer = Tracer(rendered)

    def describe(self, item: Difference) -> DescribedDifference:
        """Return a difference as texts."""
        is_text = item.kind is DifferenceKind.TEXT
        is_whole = item.kind in (DifferenceKind.NEW_FOLDER, DifferenceKind.LOST_FOLDER)
        subject = str(item.ref) if item.ref is not None and item.ref.name else item.path
        if item.was is not None:
            subject = f"{item.was} to {item.ref}"
        if item.alike:
            subject = f"{subject} and {len(item.alike):,} more"
        # The order of `sources` depends on it: first all changes, then all varying fields.
        fields = [*item.changes, *(varying.first for varying in item.varying)]
        sources = [self._write_source(item, path) for path in [it.path for it in fields] or [()]]
        return DescribedDifference(
            verb=str(DifferenceKind.CHANGED if is_text else item.kind),
            subject=_name_spokes(item) if is_whole else subject,
            where="" if is_whole else self.place(item.folders),
            note=item.problem or (_TEXT_ONLY if is_text else ""),
            sources=tuple(filter(None, sources)),
            others=tuple(_list_others(item)),
        )

    def list_stale(self, verdict: str, items: Iterable[Difference]) -> Iterator[Result]:
        """Yield a finding with the verdict on a stale output, and one for each difference."""
        cure = "run spokerender build, and commit what it writes"
        # The verdict's second half counts differences, and each of them is a finding of its own
        # here.
        yield STALE.result(verdict.partition("; ")[0], cure=cure)
        for item in map(self.join_ways, items):
            described = self.describe(item)
            fields = [*item.changes, *(varying.first for varying in item.varying)]
            texts = [
                f"{shown(it.path)} {change_lines(it.old, it.new, color=False)[0]}" for it in fields
            ]
            source = self.trace(item, fields[0].path if fields else ())
            # With a reference, the finding names its object itself.
            subject = "" if item.ref is not None else described.subject
            words = (subject, described.note, listed(texts, separator="; "))
            yield STALE.result(
                f"the output is stale: {' '.join(filter(None, (described.verb, *words)))}",
                cure=cure,
                resource=item.ref,
                origin=source.hub if source is not None else None,
                # A folder's file is no object, and its path already has the spoke.
                spokes=item.folders if item.ref is not None else (),
            )

    def join_alike(self, items: Iterable[Difference]) -> list[Difference]:
        """Return the differences; those that are equal except for spokes' own values are joined.

        An object whose name differs between spokes has such differences.
        """
        # The number keeps a difference that cannot be joined in a group of its own.
        groups = grouped(
            (self._find_shape(item) or number, item) for number, item in enumerate(items)
        )
        return [
            one
            for group in groups.values()
            for one in (self._join_group(group) if len(group) > 1 else group)
        ]

    def _find_shape(self, item: Difference) -> tuple[object, ...]:
        """Return a key that differences share if they may be joined; empty if they may not."""
        ref = item.ref
        if ref is None or item.varying:
            return ()
        # Only names with a spoke's own value differ between spokes that are alike.
        is_own = (
            name in self._spokes and self._alike.has_own(str(ref), name) for name in item.folders
        )
        return (item.kind, ref.group, ref.kind, len(item.changes)) if all(is_own) else ()

    def _join_group(self, group: Sequence[Difference]) -> Iterator[Difference]:
        # The folders would make equal differences of two spokes differ.
        bare = [replace(item, folders=()) for item in group]
        spokes = [[self._spokes[name] for name in item.folders] for item in group]
        by_text = {
            (name, repr(own)): item
            for item, own in zip(group, bare, strict=True)
            for name in item.folders
        }
        for value, (bundle, *others) in self._alike.join(zip(bare, spokes, strict=True)):
            text = repr(self._alike.name_own(value, [bundle]))
            first = by_text[bundle.spoke.name, text]
            # The join took only some of the spokes, so the difference is shown as it came.
            if len(others) < len(first.folders):
                yield first
                continue
            names = {item.spoke.name for item in (bundle, *others)}
            yield replace(
                self._alike.name_own(value, [bundle, *others]),
                folders=tuple(name for name in self._spokes if name in names),
                example=first,
            )

    def join_ways(self, item: Difference) -> Difference:
        """Return a difference with the changes of its varying fields, the most common first.

        Changes that are equal except for the spokes' own values are joined, with placeholders for
        the values.
        """
        # A field whose ways turn out to be one is a common change.
        changes, varying = [*item.changes], list[Varying]()
        for each in item.varying:
            ways = sorted(self._join_values(each), key=lambda way: -len(way[0]))
            if len(ways) == 1:
                changes.append(ways[0][1])
            else:
                varying.append(Varying(ways[0][1], tuple(ways)))
        return replace(item, changes=tuple(changes), varying=tuple(varying))

    def _join_values(self, varying: Varying) -> Iterator[tuple[tuple[str, ...], Change]]:
        entries: list[tuple[tuple[Steps, Json, Json], list[Bundle]]] = []
        for folders, change in varying.by_folders:
            # The spokes of an earlier state may be gone; nothing is known of their own values.
            if self._spokes.keys() >= {*folders}:
                bundles = [self._spokes[name] for name in folders]
                entries.append(((change.path, change.old, change.new), bundles))
            else:
                yield folders, change
        for parts, alike in self._alike.join(entries):
            path, old, new = self._alike.name_own(parts, alike)
            yield tuple(sorted(bundle.spoke.name for bundle in alike)), Change(path, old, new)

    @cached_property
    def _alike(self) -> AlikeFleet:
        return AlikeFleet(self._spokes.values())

    def place(self, spokes: Sequence[str]) -> str:
        """Return spokes as text, such as `on all 200 spokes` or `on all 200 spokes but eu-3`."""
        # A spoke that went would make "all" ambiguous: of the fleet before, or after?
        is_there = all(name in self._spokes for name in spokes)
        others = self._spokes.keys() - spokes if is_there else ()
        if 0 < len(others) <= _FEW and len(spokes) > LISTED:
            return f"on all {len(self._spokes):,} spokes but {joined(sorted(others))}"
        return on_spokes(spokes, len(self._spokes) if is_there else None)

    def trace(
        self, item: Difference, path: Steps = (), spoke: str | None = None
    ) -> FieldSource | None:
        """Return the source of a field, or of the object; None for an object deleted from the hub.

        `spoke` is a spoke with the difference; the default is the first.
        """
        # A joined difference has placeholders; its example is a real one.
        item = item.example or item
        if item.ref is None or item.kind is DifferenceKind.REMOVED:
            return None
        return self._tracer.source(spoke or item.folders[0], item.ref, path)

    def _write_source(self, item: Difference, path: Steps) -> str:
        """Return the source of a field, with placeholders for the spokes' own values in it."""
        folders = (item.example or item).folders
        # Two spokes suffice to tell the values of a spoke from common words.
        spokes = dict.fromkeys((folders[0], folders[-1]))
        texts: list[str] = []
        for spoke in spokes:
            source = self.trace(item, path, spoke)
            if source is None:
                return ""
            texts.append(source_text(source))
            # Without own values in its words, the text of one spoke is that of all.
            if not self._alike.has_own(texts[-1], spoke):
                return texts[0]
        own = ([self._spokes[spoke]] for spoke in spokes)
        entries = zip(texts, own, strict=True)
        (common, bundles), *others = self._alike.join(entries)
        return texts[0] if others else self._alike.name_own(common, bundles)


def _list_others(item: Difference) -> Iterator[str]:
    if item.alike:
        yield f"and so {listed(ref.full_name for ref in item.alike)}"
    if item.follows:
        names = listed(map(str, item.follows))
        yield f"so named by {count(len(item.follows), 'object')}: {names}"


def source_text(source: FieldSource) -> str:
    """Return the place of a value's source: `hub/dns.yaml:12, override placement.yaml:30`."""
    if source.how is How.HUB:
        return str(source.hub)
    origin = f" {source.origin}" if source.origin != source.hub else ""
    return f"{source.hub}, {source.how}{origin}"


def _name_spokes(item: Difference) -> str:
    """Return the spokes that are added or removed as a whole, with the number of their objects."""
    objects = count(item.count, "object")
    if len(item.folders) == 1:
        return f"spoke {item.folders[0]} with {objects}"
    return f"{count(len(item.folders), 'spoke')} with {objects} each: {listed(item.folders)}"


def split_paths(places: Iterable[ConsequencePath]) -> list[list[str]]:
    """Return the steps of each path; paths that end in sections of one object are joined."""
    sections: dict[tuple[str, ...], dict[str, None]] = {}
    for place in places:
        *steps, last = place.steps
        name, bracket, section = last.partition(" [")
        sections.setdefault((*steps, name), {})[f"{bracket}{section}"] = None
    return [[*steps, f"{name}{''.join(own)}"] for (*steps, name), own in sections.items()]


def name_states(review: Review) -> tuple[str, str]:
    """Return the names of both states, each with the first digits of its commit."""
    before, after = review.before, review.after
    # Uncommitted changes are on top of the commit that they are compared with.
    is_same = before.commit == after.commit
    return _name_state(before), after.name if is_same else _name_state(after)


def _name_state(state: ReviewedState) -> str:
    revision = state.name.removesuffix("...")  # as Git writes a comparison with a merge base
    name = state.name if revision == state.name else f"the merge base with {revision}"
    return f"{name} at {state.commit[:_DIGITS]}" if state.commit else name


def describe_tests(item: Consequence) -> str:
    """Return a text about the tests of a consequence's requests, or "" if not searched for."""
    if not item.tests:
        return "no test covers these requests" if item.tests is not None else ""
    fails = [f'"{name}"' for name in item.failing_tests]
    passes = [f'"{name}"' for name in item.tests if name not in item.failing_tests]
    paths = listed(path.steps[-1] for path in item.untested)
    parts = (
        f"tests of these requests that fail: {listed(fails)}" if fails else "",
        f"tests that pass: {listed(passes)}" if passes else "",
        f"no test covers {paths}" if paths else "",
    )
    return "; ".join(filter(None, parts))
