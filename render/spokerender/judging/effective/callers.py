"""Verdicts of the effective policies on a caller with a given credential and address."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.phrasing import joined
from spokerender.judging.effective import guarding, outcomes
from spokerender.judging.effective.constants import find_truth, is_met, write_predicate
from spokerender.judging.effective.scales import refuses_every_request, traits_of_policies
from spokerender.kinds.columns import Everybody, Guarding
from spokerender.kinds.fields import REMOVE, apply_edits, find_values
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Process
from spokerender.model import grouped
from spokerender.model.shapes import Json, as_list, as_mapping, as_text, map_children
from spokerender.topology.matches import Request

_Spec = Mapping[str, Any]
_STATUSES = {"oidc": "302", "certificate": ""}
"""The HTTP status if a credential is missing (default: 401); empty: the TLS handshake fails."""
_TO_GRPC = {"401": "UNAUTHENTICATED", "403": "PERMISSION_DENIED"}
"""The gRPC status for an HTTP status; if absent, UNKNOWN (doc/http-grpc-status-mapping.md)."""


class CallerVerdict(Struct, frozen=True, rename="camel"):
    """The result for one caller; `is_admitted` is None if it depends on facts in no file.

    `why` says how and why the caller is refused, or which unknown fact decides.
    """

    is_admitted: bool | None = True
    why: str = ""


_FAILED = CallerVerdict(False, "answered with 500")


def join_verdicts(verdicts: Iterable[CallerVerdict]) -> CallerVerdict:
    """Return the first refusal, or else unknown if a verdict is unknown, or else an admission."""
    whys = grouped((item.is_admitted, item.why) for item in verdicts)
    if False in whys:
        return CallerVerdict(False, whys[False][0])
    return (
        CallerVerdict(None, joined(dict.fromkeys(whys[None]))) if None in whys else CallerVerdict()
    )


def judge_caller(
    kind: Kind,
    possible: Sequence[outcomes.PolicyOutcome],
    request: Request,
    fill: Callable[[outcomes.PolicyOutcome], outcomes.PolicyOutcome],
) -> CallerVerdict:
    """Return the verdict of the policies of a kind; unknown if their creation times decide.

    `possible` are the outcomes for each order of creation. `fill` puts a spoke's values into an
    outcome.
    """
    is_asking = kind.traits.guards or kind.traits.checks
    if not (is_asking or any(outcome.failing for outcome in possible)):
        return CallerVerdict()
    settled = (settle_outcome(fill(outcome), request) for outcome in possible)
    first, *others = {judge_outcome(kind, outcome, request) for outcome in settled}
    return first if not others else CallerVerdict(None, f"the age of each {kind.kind}")


def settle_outcome(outcome: outcomes.PolicyOutcome, request: Request) -> outcomes.PolicyOutcome:
    """Return an outcome with constants in place of the predicates that the request decides."""
    if not request.method:
        return outcome
    from spokerender.formats.cel.requests import find_truth_of  # noqa: PLC0415  (start-up counts)

    fields = {name: getattr(request, name) for name in ("method", "scheme", "headers")}
    fields |= {"path": request.target, "url_path": request.path, "host": request.authority}

    def settle(value: Json) -> Json:
        if isinstance(value, Mapping) and not {"predicate", "operator"}.isdisjoint(value):
            truth = find_truth_of(write_predicate(value), fields)
            return value if truth is None else truth
        return map_children(value, settle)

    rules = (replace(rule, value=settle(rule.value)) for rule in outcome.rules)
    return replace(outcome, rules=tuple(rules))


def judge_outcome(kind: Kind, outcome: outcomes.PolicyOutcome, request: Request) -> CallerVerdict:
    """Return the verdict of the rules in `outcome`, which have a spoke's values."""
    if outcome.unknown:
        return CallerVerdict(None, f"what {kind.kind} asks")
    if outcome.failing:
        return _FAILED
    kind = replace(kind, traits=traits_of_policies(kind))
    groups: Iterable[Iterable[outcomes.EffectiveRule]] = (outcome.rules,)
    if kind.merged.process is Process.ALL:
        groups = grouped((rule.policy, rule) for rule in outcome.rules).values()
    # Policies that stand side by side are judged one by one: a caller must pass each of them.
    specs = [guarding.expand_named(kind.traits, outcomes.join_rules(rules)) for rules in groups]
    return join_verdicts(_judge_parts(kind, specs, request))


def _judge_parts(kind: Kind, specs: Sequence[_Spec], request: Request) -> Iterator[CallerVerdict]:
    for part in kind.traits.guarding:
        judged = (_weigh_part(part, kind, spec, request) for spec in specs)
        verdicts = [item for item in judged if item is not None and part.about == "access"]
        if part.beside != "any":
            yield from verdicts
        elif verdicts:  # one that lets it in is enough
            order = (True, None, False)
            yield min(verdicts, key=lambda item: order.index(item.is_admitted))


def _weigh_part(part: Guarding, kind: Kind, spec: _Spec, request: Request) -> CallerVerdict | None:
    """Return the result of `_judge_part`; an unknown verdict if undecided conditions change it."""
    # The outcome lies between those where all undecided conditions hold, and where none does.
    name = kind.kind if part.field == "*" else f"{kind.kind}, {part.field}"
    own = (f"{part.rules or part.field}.{condition}" for condition in part.when)
    patterns = (*kind.traits.conditions, *own)
    places = (place for pattern in patterns for place in find_values(spec, pattern))
    truths = {path: find_truth(value) for path, value in places}
    is_open = None in truths.values()

    def assume(holds: bool) -> _Spec:
        met = {path: holds if truth is None else truth for path, truth in truths.items()}
        edits = {path: REMOVE if truth else False for path, truth in met.items()}
        return as_mapping(apply_edits(spec, edits))

    assumed = map(assume, (True, False)[: 1 + is_open])
    verdicts = [_judge_part(part, kind, name, each, request) for each in assumed]
    lets = {item is None or item.is_admitted for item in verdicts}
    is_bounded = part.several in ("all", "any") or not is_open or not any(verdicts)
    return verdicts[0] if len(lets) == 1 and is_bounded else CallerVerdict(None, name)


def _judge_part(
    part: Guarding, kind: Kind, name: str, spec: _Spec, request: Request
) -> CallerVerdict | None:
    """Return the verdict of a restricting field (`part`); None if the field requires nothing."""
    spec = guarding.drop_idle(kind.traits, spec)
    applies = guarding.read_conditions(spec, kind.traits.conditions) is not None
    if not (applies and find_values(spec, part.field)):
        return None
    is_off = any(guarding.are_fulfilled(spec, opening) for opening in part.unless)
    refusal = _refuse(request, part, spec, name)
    if is_off:  # of everybody but those that a rule refuses
        answer = _judge_address(part.everybody, spec, request.client, rest=True)
        return refusal if answer is False else None if answer else CallerVerdict(None, name)
    if guarding.lets_all_in(part, spec):
        return CallerVerdict()
    if not any(own is not None for own in dict(guarding.measure_part(part, spec)).values()):
        # Of rules of which one has to admit the caller, none is for the request.
        return _refuse(request, part, spec, name, "401") if part.several == "any" else None
    if refuses_every_request(replace(kind.traits, guarding=(part,), besides=()), spec):
        return refusal
    answer = _judge_address(part.everybody, spec, request.client, rest=False)
    by_address = refusal if answer is False else CallerVerdict(answer, name)
    return _judge_credential(part, kind, spec, request) or by_address


def _judge_credential(
    part: Guarding, kind: Kind, spec: _Spec, request: Request
) -> CallerVerdict | None:
    """Return the verdict on the caller's credential; None if `part` requires no credential."""
    traits = kind.traits
    checks = [
        check
        for check in traits.checks
        if check.field.startswith(part.field) and find_values(spec, check.field)
    ]
    if traits.optional or request.credential in [str(check.takes) for check in checks]:
        return CallerVerdict()
    if not checks:
        return None
    takes = joined(dict.fromkeys(check.takes for check in checks))
    if not request.credential:
        # Only the caller knows whether its credential is valid.
        return CallerVerdict(None, f"the {takes} that {kind.kind} asks for")
    why, usual = f"{kind.kind} asks for {takes}", _STATUSES.get(checks[0].takes, "401")
    return _refuse(request, part, spec, why, usual)


def _refuse(
    request: Request, part: Guarding, spec: _Spec, why: str, usual: str = "403"
) -> CallerVerdict:
    own = find_values(spec, part.answers) if part.answers else ()
    status = str(own[0][1]) if own else usual
    how = f"refused with {status}" if status else "refused in the TLS handshake"
    if status and request.headers.get("content-type", "").startswith("application/grpc"):
        how = f"refused with {_TO_GRPC.get(status, 'UNKNOWN')} of gRPC"
    elif status == _STATUSES["oidc"]:
        # A caller that is known is refused with 403 unless a policy says otherwise.
        how = f"{'redirected' if usual == '403' else 'sent to log in'} with {status}"
    return CallerVerdict(False, f"{how}: {why}")


def _judge_address(kinds: Everybody | None, spec: _Spec, client: str, rest: bool) -> bool | None:
    """Return whether the first rule for `client` admits it (no rule: `rest`); None if unknown."""
    if kinds is None or not kinds.networks:
        return rest or None
    possible = set[bool]()
    for _, rule in find_values(spec, kinds.rules):
        is_for = _holds_for(as_mapping(rule), kinds, client)
        if is_for is False:
            continue
        lets = kinds.given is None or rule.get(kinds.given[0]) in kinds.given[1]
        possible.add(lets)
        if is_for:
            break
    else:
        possible.add(rest)
    return possible.pop() if len(possible) == 1 else None


def _holds_for(asked: Mapping[str, Any], kinds: Everybody, client: str) -> bool | None:
    """Return whether a rule applies to a client's address; None if other facts decide."""
    answers = [
        _meets(key, as_list(value) or [value], kinds, client)
        for key, value in asked.items()
        if value not in (None, [])
    ]
    return False if False in answers else None if None in answers else True


def _meets(key: str, entries: list[Json], kinds: Everybody, client: str) -> bool | None:
    if key in kinds.parts:
        answers = [_holds_for(as_mapping(entry), kinds, client) for entry in entries]
        return True if True in answers else None if None in answers else False
    if key in kinds.networks:
        try:
            own = ip_address(client)
            networks = [ip_network(as_text(entry), strict=False) for entry in entries]
        except ValueError:
            return None
        return any(own in network for network in networks)
    # A condition that not every request meets depends on more than the address.
    return is_met(key, entries, kinds) or None
