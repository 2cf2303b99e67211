"""The words for changes of what policies ask on a path."""

from collections.abc import Mapping, Sequence

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import joined
from spokerender.findings.results import FindingKind
from spokerender.judging.effective.shifts import Direction, Shift
from spokerender.kinds.kind import Kind
from spokerender.model import Ref
from spokerender.review.values import Topic

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
    "access": "decides any more who may call",
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
    """Return the code and the topic of a change of what policies of a kind ask."""
    topic = _TOPICS.get(shift.about, Topic.POLICY)
    if shift.direction is Direction.STRICTER and not kind.traits.certificates:
        return codes.ASKS_MORE, topic
    if kind.traits.records is not None:
        return codes.DNS_CHANGED, Topic.DNS
    if kind.traits.certificates:
        return codes.CERTIFICATE_CHANGED, Topic.ENCRYPTION
    return _KINDS.get((shift.about, shift.direction), codes.NOT_RANKED), topic


def describe_shift(  # noqa: PLR0913  (a sentence has as many parts)
    kind: Kind,
    finding: FindingKind,
    shift: Shift,
    policies: Sequence[Ref],
    replaced: Sequence[Ref] = (),
    *,
    to: str = "",
) -> str:
    """Write a change of what policies ask; `finding` is its code.

    `replaced` are the policies in whose place these are, if they are others; `to` says where
    encrypted connections go.
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
    other = joined(replaced, _NAMED) if replaced else ""
    than = f"{other} did" if other else "before"
    where = f" in {shift.key}" if shift.key else ""
    if verb := _VERBS.get((shift.about, shift.direction)):
        return f"{who} {verb.format(ending)} than {than}{where}"
    if finding is codes.NOT_RANKED:
        return f"{who} may be stricter or weaker than {other or 'before'}{where}"
    return f"{who} {f'differ{ending} from {other}' if other else f'change{ending}'}{where}"
