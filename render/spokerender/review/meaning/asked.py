"""Consequences of changed restrictions: effective policies on paths, before and after a change."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import joined
from spokerender.findings.results import ERROR, INFO, FindingKind
from spokerender.formats.comparing import ABSENT, fingerprint
from spokerender.judging.effective.outcomes import join_rules
from spokerender.judging.effective.shifts import Direction, Shift
from spokerender.kinds.fields import read_value
from spokerender.kinds.kind import Kind
from spokerender.model import Ref, grouped
from spokerender.model.refs import GATEWAY_API, GroupKind
from spokerender.review.comparison.asked import AskedChange, AskedComparison, Verdict
from spokerender.review.comparison.policies import PolicyPairs
from spokerender.review.comparison.successors import PolicyPair, Successors
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.review.meaning.backends import fail_alike
from spokerender.review.meaning.drafts import Draft, write_sides
from spokerender.review.meaning.objects import ObjectChanges
from spokerender.review.values import Topic
from spokerender.topology.paths import Levels


class AskedDrafts:
    """The consequences of changed restrictions on the paths of two states."""

    def __init__(
        self, successors: Successors, comparison: AskedComparison, objects: ObjectChanges
    ) -> None:
        self._successors, self._old, self._new = successors, successors.old, successors.new
        self._objects = objects
        self._comparison = comparison

    def drafts(self) -> Iterator[Draft]:
        """Yield weaker and otherwise changed restrictions on the paths that both states have."""
        pairs = PolicyPairs(self._successors)
        for policy_kind in pairs.kinds:
            kind = self._new.kind(policy_kind)
            on_paths = self._comparison.list_differing(policy_kind, pairs.on_paths)
            # Drafts on paths come first; those for further routes below leave out what they say
            # already.
            drafts = list(self._draft_pairs(kind, on_paths))
            yield from drafts
            yield from self._draft_ports(kind, policy_kind)
            yield from self._draft_pairs(kind, pairs.beside_paths(policy_kind))
            paths = grouped(((draft.kind, draft.message), draft.levels) for draft in drafts)
            for further in pairs.on_further_routes(policy_kind):
                for draft in self._draft_pairs(kind, [further]):
                    on_listener = paths.get((draft.kind, draft.message), ())
                    # A draft for a path of the listener says the same.
                    if not any(path[: len(draft.levels)] == draft.levels for path in on_listener):
                        every = pairs.on_paths(policy_kind)
                        is_kept = self._comparison.is_kept(kind, further, every)
                        yield replace(
                            draft,
                            message=f"{draft.message}, for routes that are added here later",
                            is_latent=True,
                            severity=INFO if is_kept else draft.severity,
                        )

    def _draft_pairs(self, kind: Kind, pairs: Iterable[PolicyPair]) -> Iterator[Draft]:
        for pair in pairs:
            change = self._comparison.compare(kind, pair)
            if change is not None:
                place = _Place(pair.levels, kind, change)
                rules = self._old.find_rule(pair.earlier), self._new.find_rule(pair.levels)
                is_failing = fail_alike(self._successors, *rules)
                for draft in (*self._draft_change(place), *self._draft_lent(place, pair)):
                    # An error is shown by a request that was refused before.
                    example = pair.example if draft.severity is not ERROR else change.opened
                    named = draft.about_requests(pair.taken, example or pair.example)
                    if is_failing:
                        message = f"{named.message}, where requests fail before and after"
                        # If every request fails on both sides, no caller notices the change.
                        named = replace(named, message=message, severity=INFO)
                    yield replace(named, levels=pair.levels, hostnames=pair.hostnames)

    def _draft_ports(self, kind: Kind, policy_kind: GroupKind) -> Iterator[Draft]:
        """Yield changed port-wide fields for listeners whose own policies are unchanged."""
        views = self._old, self._new
        before, after = (_index_port_fields(view, kind, policy_kind) for view in views)
        listeners = self._successors.listeners if before or after else ()
        for old, new in ((old, new) for old, new in listeners if new is not None):
            for field in kind.traits.port_fields:
                was = before.get((*_find_port(old), field), {})
                now = after.get((*_find_port(new), field), {})
                values, later = ({text for text, _ in side.values()} for side in (was, now))
                own = was.get(old.levels, ("",)), now.get(new.levels, ("",))
                # A listener whose own value changes has a draft of its own.
                if values != later and own[0][0] == own[1][0]:
                    text = f"{kind.kind}: {field} changes for all listeners of the port"
                    stacks = (stack for side in (now, was) for _, stack in side.values())
                    policies = tuple(dict.fromkeys(chain.from_iterable(stacks)))
                    cause = self._objects.cause(policies, policies)
                    about = codes.NOT_RANKED, Topic.POLICY, text, cause
                    yield Draft.on(new, *about, policies=policies)

    def _draft_lent(self, place: "_Place", pair: PolicyPair) -> Iterator[Draft]:
        """Yield a draft if only policies that Kuadrant's plugin finds at another route apply."""
        if pair.lent is not None and pair.taken is not None and not place.change.loses:
            message = f"{place.kind.kind}: only the policies of {pair.lent} decide who may call"
            yield replace(
                self._draft(place, codes.ACCESS_WEAKENED, Topic.ACCESS, message),
                cure="Kuadrant's plugin finds them as long as the new rule has no policy of any "
                "kind: give it its own",
            )

    def _draft_change(self, place: "_Place") -> Iterator[Draft]:
        change, kind = place.change, place.kind
        before, after = change.before, change.after
        # The verdicts from certain to uncertain: what fails or closes needs no ranking.
        if change.verdict is Verdict.FAILS:
            message = f"{kind.kind}: requests are answered with 500: {after.failing}"
            yield self._draft(place, codes.ANSWERED_WITH_500, Topic.TRAFFIC, message)
            return
        if change.verdict is Verdict.CLOSES:
            message = f"{kind.kind}: requests are refused, whoever makes them"
            yield self._draft(place, codes.WAY_GONE, Topic.ACCESS, message)
            return
        if before.failing and not after.failing:
            yield self._draft_reopened(place, f"{kind.kind}: {before.failing}")
        severity = ERROR if change.loses and kind.security else None
        if change.verdict is Verdict.UNDECIDED:
            message = f"{kind.kind}: what is in force is not known any more: {after.unknown}"
            draft = self._draft(place, codes.NEWLY_UNDECIDED, Topic.POLICY, message)
            yield replace(draft, severity=severity)
        elif change.verdict is Verdict.UNKNOWN:
            if severity is ERROR and not after.asked:
                yield from self._draft_shifts(place, [s for s in change.shifts if s.loses])
            else:
                message = f"{kind.kind}: what may be in force changes; its effect is not known"
                draft = self._draft(place, codes.EFFECT_NOT_KNOWN, Topic.POLICY, message)
                yield replace(draft, severity=severity)
        else:
            yield from self._draft_shifts(place, change.shifts)
            yield from self._draft_shifts(place, change.possible, is_possible=True)

    def _draft_reopened(self, place: "_Place", why: str) -> Draft:
        """Return a draft for requests that failed because of `why`; an info if they are guarded."""
        way = self._new.rules.get(place.levels)
        is_guarded = way is not None and self._new.is_guarded(way)
        message = f"requests are served that were answered with 500 before: {why}"
        draft = self._draft(place, codes.FURTHER_WAY, Topic.EXPOSURE, message)
        return replace(draft, severity=INFO if is_guarded else None)

    def _draft_shifts(
        self, place: "_Place", shifts: Sequence[Shift], *, is_possible: bool = False
    ) -> Iterator[Draft]:
        kind = place.kind
        may = " if another policy is older" if is_possible else ""
        opened = place.change.opened is not None
        for shift in shifts:
            finding, topic = classify(kind, shift)
            opens = opened and topic is Topic.ACCESS and shift.direction is not Direction.STRICTER
            is_removed = shift.direction is Direction.REMOVED
            is_error = is_removed and finding is codes.ENCRYPTION_WEAKENED
            names = place.backends if finding is codes.ENCRYPTION_WEAKENED else ()
            to = " to {names}" if names else ""
            message = describe_shift(kind, finding, shift, place.list_subjects(shift), to=to)
            draft = self._draft(place, finding, topic, f"{message}{may}", shift)
            was, now = write_sides(shift.was, shift.now)
            yield replace(
                draft,
                cure=_CURE_OF_OPENED if opens else draft.cure,
                severity=ERROR if is_error or opens or (shift.loses and kind.security) else None,
                was=was,
                now=now,
                names=names,
            )

    def _draft(
        self,
        place: "_Place",
        finding: FindingKind,
        topic: Topic,
        message: str,
        shift: Shift | None = None,
    ) -> Draft:
        policies = place.change.policies(shift)
        earlier = tuple(self._successors.earlier.get(ref, ref) for ref in policies)
        # The cause is looked for from the policies outwards, the path from its end.
        near = [*(ref for ref in policies if ref in self._new.variants), *reversed(place.levels)]
        return Draft(
            kind=finding,
            topic=topic,
            message=message,
            cause=self._objects.cause(near, earlier, shift.place if shift is not None else ()),
            cure=_CURES.get(finding.code, ""),
            others=earlier,
            policies=policies,
        )


class _Place(Struct, frozen=True, eq=False):
    """A path, a kind of policy, and the change of its restrictions on the path."""

    levels: Levels
    kind: Kind
    change: AskedChange

    @property
    def backends(self) -> tuple[str, ...]:
        """The backend at the end of the path, if there is one."""
        last = self.levels[-1:] if len(self.levels) > 1 else ()
        return tuple(str(ref) for ref in last if ref.group != GATEWAY_API)

    def list_subjects(self, shift: Shift) -> tuple[Ref, ...]:
        """Return the policies of a shift that are effective after the change, or else all."""
        every = self.change.policies(shift)
        after = {rule.policy for rule in self.change.after.rules}
        return tuple(ref for ref in every if ref in after) or every


def _find_port(way: Way) -> tuple[Ref, int | str, bool]:
    return way.proxy, way.address[1], way.address[2] == "UDP"


def _index_port_fields(
    view: SpokeView, kind: Kind, policy_kind: GroupKind
) -> Mapping[tuple[object, ...], Mapping[Levels, tuple[str, tuple[Ref, ...]]]]:
    """Return port-wide values by port and field, then by listener: the text, and its policies."""
    every: dict[tuple[object, ...], dict[Levels, tuple[str, tuple[Ref, ...]]]] = {}
    for way in view.listeners.values() if kind.traits.port_fields else ():
        for _, item in () if way.is_closed else view.below(policy_kind, way):
            spec = join_rules(view.fill(item.likely).asked)
            for field in kind.traits.port_fields:
                value = read_value(spec, tuple(field.split(".")), ABSENT)
                if value not in (ABSENT, False):
                    place = every.setdefault((*_find_port(way), field), {})
                    place[way.levels] = fingerprint(value), item.stack
    return every


_CURE_OF_OPENED = "anybody may do that now: let the rule ask who calls"
_CURES = {
    codes.ACCESS_REMOVED.code: "attach a policy that guards the path",
    codes.NOT_RANKED.code: "compare the two values",
}


_TOPICS = {"access": Topic.ACCESS, "limits": Topic.LIMITS, "encryption": Topic.ENCRYPTION}
_KINDS: Mapping[tuple[str, Direction], FindingKind] = {
    ("access", Direction.REMOVED): codes.ACCESS_REMOVED,
    ("access", Direction.WEAKENED): codes.ACCESS_WEAKENED,
    ("limits", Direction.REMOVED): codes.LIMIT_REMOVED,
    ("limits", Direction.WEAKENED): codes.LIMIT_RAISED,
    ("encryption", Direction.REMOVED): codes.ENCRYPTION_WEAKENED,
    ("encryption", Direction.WEAKENED): codes.ENCRYPTION_WEAKENED,
}
_NOTHING_LEFT = {
    "access": "guards this path any more",
    "limits": "limits requests any more",
    "encryption": "protects connections{to} any more",
}
_MADE = {
    codes.CERTIFICATE_CHANGED: "{} make{} certificates {}",
    codes.DNS_CHANGED: "{} create{} DNS records {}",
}
_NOTHING_READ = "is in force any more; whether it refused requests is not known"
_VERBS = {
    ("access", Direction.WEAKENED): "let{} in more callers",
    ("access", Direction.STRICTER): "let{} in fewer callers",
    ("limits", Direction.WEAKENED): "let{} more requests through",
    ("limits", Direction.STRICTER): "let{} fewer requests through",
    ("encryption", Direction.WEAKENED): "protect{} connections less",
    ("encryption", Direction.STRICTER): "protect{} connections more",
}
_NAMED = 2


def classify(kind: Kind, shift: Shift) -> tuple[FindingKind, Topic]:
    """Return the code and the topic for a changed restriction."""
    topic = _TOPICS.get(shift.about, Topic.POLICY)
    # Stricter certificates change what clients see, so they are told as a change.
    if shift.direction is Direction.STRICTER and not kind.traits.certificates:
        return codes.ASKS_MORE, topic
    if kind.traits.records is not None:
        return codes.DNS_CHANGED, Topic.DNS
    if kind.traits.certificates:
        return codes.CERTIFICATE_CHANGED, Topic.ENCRYPTION
    return _KINDS.get((shift.about, shift.direction), codes.NOT_RANKED), topic


def describe_shift(
    kind: Kind, finding: FindingKind, shift: Shift, policies: Sequence[Ref], *, to: str = ""
) -> str:
    """Return a sentence for the finding about a changed restriction of `policies`.

    `to` names the destination of encrypted connections, if the restriction is about encryption.
    """
    if finding in _MADE and not shift.place:
        is_gone = shift.direction is Direction.REMOVED
        who = f"no {kind.kind}" if is_gone else joined(policies, _NAMED)
        ending = "" if len(policies) > 1 and not is_gone else "s"
        return _MADE[finding].format(who, ending, "any more" if is_gone else "now")
    if shift.direction is Direction.REMOVED:
        what = _NOTHING_LEFT[shift.about] if kind.traits.guarding else _NOTHING_READ
        return f"no {kind.kind} {what.replace('{to}', to)}"
    who = joined(policies, _NAMED) if policies else kind.kind
    ending = "" if len(policies) > 1 else "s"
    where = f" in {shift.key}" if shift.key else ""
    if verb := _VERBS.get((shift.about, shift.direction)):
        return f"{who} {verb.format(ending)} than before{where}"
    if finding is codes.NOT_RANKED:
        return f"{who} change{ending}{where}; whether that is stricter or weaker is not known"
    return f"{who} change{ending}{where}"
