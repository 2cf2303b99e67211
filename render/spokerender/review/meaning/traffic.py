"""The paths of requests, from listeners to backends, before and after a change."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial

from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.results import ERROR
from spokerender.formats.comparing import ABSENT
from spokerender.judging.effective.rates import read_times
from spokerender.judging.routing.values import describe_failing
from spokerender.kinds.kind import Role
from spokerender.model import Ref, grouped
from spokerender.model.memo import memoised
from spokerender.model.shapes import Json
from spokerender.review.comparison.views import Way
from spokerender.review.meaning import backends
from spokerender.review.meaning.drafts import Cause, Draft, write_change, write_matching
from spokerender.review.meaning.objects import AS_WRITTEN, Readers, ViewComparison
from spokerender.review.values import Topic
from spokerender.topology.hostnames import is_covered

_WITH_REFERENCES = ("backendRefs", "filters")
_ChangedField = tuple[str, Json, Json]
"""A field of a rule with its values before and after the change."""
_Parts = Mapping[Ref, str]
"""The failing parts of a rule, with the reasons."""
_WITH_TIMES = ("timeouts", "retry", "sessionPersistence")


class TrafficComparison(ViewComparison):
    """The comparison of the routes, hostnames and backends of two states."""

    def drafts(self) -> Iterator[Draft]:
        """Yield removed paths, changed routing, and hostnames that are compared in part."""
        yield from self._gone()
        yield from self._routed()
        yield from self._partial()

    def _gone(self) -> Iterator[Draft]:
        """Yield each path with requests that no rule serves any more.

        A hostname that is not served at all is reported once, not for each of its routes.
        """
        # A hostname has one cause: that of the first path.
        causes: dict[str, Cause] = {}
        for levels, cells in grouped(
            (way.levels, cell)
            for cell in self._successors.cells
            # Cells that are served after the change are compared in `_routed`.
            for way in (() if cell.after else cell.before)
        ).items():
            way, lost = self._old.rules[levels], tuple(dict.fromkeys(c.hostname for c in cells))
            draft = replace(self._draft_gone(way, lost), example=str(cells[0].witness))
            unserved = [name for name in lost if not self._is_served(way, name)]
            _, port, protocol = way.address
            for name in unserved:
                yield replace(
                    draft,
                    kind=codes.HOSTNAME_GONE,
                    message=f"nothing takes connections to port {port} {protocol} any more"
                    if way.is_nameless
                    else "nothing serves {names} any more",
                    cause=causes.setdefault(name, draft.cause),
                    hostnames=(name,),
                    names=(name,),
                )
            rest = tuple(name for name in lost if name not in unserved)
            if rest:
                yield replace(draft, hostnames=rest, names=rest)

    def _is_served(self, way: Way, name: str) -> bool:
        """Return whether a hostname of an earlier path is still served by any path."""
        served = self._list_served(self._successors.name(way.levels[0]))
        return not way.is_nameless and is_covered(name, served)

    @memoised
    def _list_served(self, gateway: Ref) -> frozenset[str]:
        """Return the hostnames served after the change; `*` only if `gateway` itself serves it."""
        return frozenset(
            name
            for way in self._new.rules.values()
            for name in way.hostnames
            if not way.is_nameless and (name != "*" or way.levels[0] == gateway)
        )

    def _draft_gone(self, way: Way, lost: tuple[str, ...]) -> Draft:
        path = self._successors.levels(way.levels)
        message = f"requests that {way.levels[-1]} took under {{names}} are answered with 404"
        cause = self._objects.cause(reversed(path), reversed(way.levels))
        cure = "move the callers of this hostname first, or keep it until it has none"
        later = self._new.rules.get(path, way)
        was, now = write_matching(way, later)
        # The rule is still there and asks for something else, so its matches are the cause.
        if was != now:
            cause = self._cause_of_rule(later)
        about = codes.WAY_GONE, Topic.TRAFFIC, message, cause
        return Draft.on(way, *about, cure=cure, hostnames=lost, names=lost, was=was, now=now)

    def _routed(self) -> Iterator[Draft]:
        """Yield each rule that routes or processes its requests differently."""
        about = (TrafficComparison, *self._old.routes, *self._new.routes, *self._new.extensions)
        changed = self._successors.once(about, lambda: (*self._list_changed(),))
        for (old, new), fields in zip(self._successors.pairs, changed, strict=True):
            drafts = [*self._draft_pair(old, new, fields)]
            # Failures are only computed for paths with a difference.
            if drafts and not backends.fail_alike(self._successors, old, new):
                taken = self._successors.find_taken(old, new)
                example = self._successors.find_example(old, new)
                yield from (draft.about_requests(taken, example) for draft in drafts)

    def _draft_pair(self, old: Way, new: Way, fields: Sequence[_ChangedField]) -> Iterator[Draft]:
        asks_other = old.asks_service is not new.asks_service
        failed, fails_now = backends.find_failing(self._successors)
        before, after = failed.of(self._successors.levels(old.levels)), fails_now.of(new.levels)
        if asks_other:
            yield backends.draft_asking(new, self._cause_of_rule(new))
        fails = bool(fields or after or asks_other) and fails_now.fails_wholly(new)
        is_answered = old.is_answered and new.is_answered
        shares = self._reads(backends.read_shares, old, new, before, after)
        route = new.levels[-2]
        failing = {**after} or ({route: "no backend gets any"} if fails else {})
        for field, was, now in fields:
            is_of_backends, place = field == "backendRefs", (route, "rules", field)
            if is_of_backends and before and after and self._says_same(place, was, now, shares):
                # The same share of requests fails as before, at other backends.
                failing = {ref: why for ref, why in failing.items() if ref == route}
            elif not (is_of_backends and is_answered):
                yield self._draft_routed(new, field, was, now)
                yield from self._unverified(old, new) if is_of_backends else ()
        yield from self._failing(old, new, failing, before)
        if not (is_answered or any(field in _WITH_REFERENCES for field, _, _ in fields)):
            yield from self._recovered(old, new, before, after)

    def _unverified(self, old: Way, new: Way) -> Iterator[Draft]:
        """Yield a draft for each backend that is unverified now and was verified before."""
        before = {*map(self._successors.name, backends.list_unverified(self._old, old))}
        for ref in sorted(backends.list_unverified(self._new, new) - before):
            message = f"{new.levels[-2]}: the certificate of {ref} is not verified"
            about = codes.ENCRYPTION_WEAKENED, Topic.ENCRYPTION, message
            cause = self._objects.cause((ref, *reversed(new.levels)))
            yield Draft.on(new, *about, cause, others=(ref,))

    def _list_changed(self) -> Iterator[tuple[_ChangedField, ...]]:
        """Yield the changed fields of the rule for each pair of paths, in the pairs' order."""
        return (tuple(self._list_fields(old, new)) for old, new in self._successors.pairs)

    def _list_fields(self, old: Way, new: Way) -> Iterator[_ChangedField]:
        """Yield the changed fields of a rule, each with both values."""
        before = backends.read_rule(self._old, old, self._successors.new_names(old.levels[-2]))
        after = backends.read_rule(self._new, new, {})
        for field in dict.fromkeys((*before, *after)):
            one, other = before.get(field, ABSENT), after.get(field, ABSENT)
            # Backends without a namespace mean their route's, which has moved.
            if field == "backendRefs" and old.levels[-2].namespace != new.levels[-2].namespace:
                one, other = (
                    backends.with_namespaces(one, old),
                    backends.with_namespaces(other, new),
                )
            elif field == "filters":
                one, other = backends.leave_out_compared(
                    (self._old, old, one), (self._new, new, other), self._successors.earlier
                )
            reads = AS_WRITTEN
            if field == "backendRefs":
                reads = self._reads(backends.read_shares, old, new)
            elif field == "filters":
                reads = self._reads(backends.read_filters, old, new)
            # `60s` and `1m` are one time.
            elif field in _WITH_TIMES:
                reads = read_times, read_times
            if not self._says_same((new.levels[-2], "rules", field), one, other, reads):
                yield field, one, other

    def _partial(self) -> Iterator[Draft]:
        """Yield each hostname whose changed matches have too many combinations to compare."""
        cells = (cell for cell in self._successors.cells if cell.is_partial)
        for (_, name), own in grouped(((it.entrance, it.hostname), it) for it in cells).items():
            way = next(way for cell in reversed(own) for way in (*cell.after, *cell.before))
            message = "matches for {names} name too many combinations of values to compare all"
            cause = self._objects.cause(reversed(way.levels))
            about = codes.EFFECT_NOT_KNOWN, Topic.TRAFFIC, message, cause
            is_guarded = any(self._old.is_guarded(way) for cell in own for way in cell.before)
            draft = Draft.on(way, *about, severity=ERROR if is_guarded else None)
            cure = "split the routes by path, so that fewer headers and parameters meet at each"
            yield replace(draft, cure=cure, hostnames=(name,), names=(name,))

    def _reads(self, read: Callable[..., object], old: Way, new: Way, *fails: _Parts) -> Readers:
        """Return `read` for both sides, with texts in place of the objects that a field refers to.

        The text of a failing object, in `fails` (before and after the change), is empty.
        """
        before, after = fails or ({}, {})

        def write(ref: Ref, failing: _Parts) -> str:
            is_failing = ref in failing or ref.whole in failing
            return "" if is_failing else backends.identify(self._new, ref.whole)

        return (
            partial(read, way=old, write=lambda ref: write(self._successors.name(ref), before)),
            partial(read, way=new, write=lambda ref: write(ref, after)),
        )

    def _failing(self, old: Way, new: Way, fails: _Parts, before: _Parts) -> Iterator[Draft]:
        """Yield the parts of a rule that get requests, and fail or are deleted only now."""
        section, route = new.levels[-1], new.levels[-2]
        deleted = dict.fromkeys(self._named_in_vain.get(section, ()), "it is deleted")
        failures = {route: fails[route]} if route in fails else {**fails, **deleted}
        if not failures:
            return
        unused = backends.list_unused(self._new, new)
        idle_before = {*map(self._successors.name, backends.list_unused(self._old, old))}
        for ref, why in failures.items():
            if ref in unused or (ref in before and ref not in idle_before) or route in before:
                continue
            message = f"{route}: {describe_failing(route, ref)}, as {why}"
            about = codes.ANSWERED_WITH_500, Topic.TRAFFIC, message
            cause = self._objects.cause(reversed(new.levels), (ref,))
            cure = "keep what it needs, or take it out of the rule"
            yield Draft.on(new, *about, cause, cure=cure, others=(ref,))

    def _recovered(self, old: Way, new: Way, before: _Parts, after: _Parts) -> Iterator[Draft]:
        """Yield the parts of a rule that get requests now and failed before."""
        route = new.levels[-2]
        candidates = {*before, *self._named_newly.get(old.levels[-1], ())}
        unused = backends.list_unused(self._new, new) if candidates else frozenset()
        # A rule that refers to a deleted filter still fails as a whole.
        still_failing = {route} if new.levels[-1] in self._filtered_in_vain else {}
        left = unused.union(after, still_failing)
        for ref in sorted(ref for ref in candidates if left.isdisjoint((ref, ref.whole))):
            what = "requests" if ref == route else f"requests for {ref}"
            why = "which failed before" if ref in before else "which no file had before"
            about = codes.ROUTED_ELSEWHERE, Topic.TRAFFIC, f"{route}: {what} are served, {why}"
            cause = self._objects.cause((ref, *reversed(new.levels)))
            yield Draft.on(new, *about, cause, others=(ref,))

    @cached_property
    def _named_in_vain(self) -> Mapping[Ref, tuple[Ref, ...]]:
        """The deleted objects that rules refer to, by rule."""
        return backends.list_named(self._new, frozenset(self._objects.gone))

    @cached_property
    def _filtered_in_vain(self) -> Collection[Ref]:
        """The rules that refer to deleted filters."""
        return backends.list_named(self._new, frozenset(self._objects.gone), {Role.FILTER}).keys()

    @cached_property
    def _named_newly(self) -> Mapping[Ref, tuple[Ref, ...]]:
        """The new objects that rules referred to before, by rule."""
        return backends.list_named(self._old, self._objects.added)

    def _draft_routed(self, way: Way, field: str, old: Json, new: Json) -> Draft:
        was, now = write_change(old, new)
        does = f"changes in {field}"
        if field == "backendRefs":
            does = "sends requests to other backends, or with other weights or filters"
        about = codes.ROUTED_ELSEWHERE, Topic.TRAFFIC, f"{way.levels[-2]} {does}"
        return Draft.on(way, *about, self._cause_of_rule(way), was=was, now=now)
