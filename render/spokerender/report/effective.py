"""What is in force, as a tree for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from spokerender.explain import InForce, Question, RuleInForce, RuleNotInForce
from spokerender.findings.words import listed, on_spokes
from spokerender.formats import yamlio
from spokerender.model import Origin, Ref
from spokerender.report.colors import Style, paint
from spokerender.report.findings import results_text
from spokerender.report.reports import EffectiveReport, Look
from spokerender.topology import RequestPath

_HOSTNAMES = 3
_BLOCKS = ("defaults", "overrides", "default", "override")


def in_force_text(report: EffectiveReport, look: Look) -> str:
    """What is in force, or that nothing is and for what: a wrong host name is an answer too."""
    text = effective_text(
        report.answers, color=look.color, verbose=look.verbose, spokes=report.spokes
    )
    return text or _nothing(report.question)


def _nothing(asked: Question) -> str:
    words = (
        f" to route {asked.route}" if asked.route else "",
        f" for host {asked.hostname}" if asked.hostname else "",
        f" on {asked.spoke}" if asked.spoke else "",
    )
    return f"no {asked.kind or 'policy'} is on any path{''.join(words)}\n"


def effective_text(
    answers: Sequence[InForce], *, color: bool, verbose: bool, spokes: int | None = None
) -> str:
    """Tell what is in force as a tree: gateway and listener, route, rules, policies.

    Rules of a route on which all is alike are told once. What `check` tells of the policies and the
    routes comes last.

    Args:
        answers: what `in_force` answered, in its order.
        color: whether the reader is a terminal.
        verbose: whether the rules' values are told as well.
        spokes: how many spokes there are, so that "all" can be said.

    """
    page = _Page(color=color, verbose=verbose, spokes=spokes)
    listeners = [list(below) for _, below in groupby(answers, key=lambda a: _listener(a.path))]
    parts = ["".join(f"{line}\n" for line in page.of_listener(below)) for below in listeners]
    results = dict.fromkeys(result for answer in answers for result in answer.results)
    if results:
        parts.append(results_text(results, color=color, verbose=False, spokes=spokes))
    return "\n".join(parts)


def _listener(path: RequestPath) -> str:
    declared = f" of {path.listener_set}" if path.listener_set is not None else ""
    of_class = f" ({path.gateway_class})" if path.gateway_class else ""
    return f"{path.gateway}{of_class} > listener {path.listener}{declared}"


class _Block(Struct, frozen=True):
    """What the policies of one kind come to on one rule, as lines."""

    kind: str
    on: str
    lines: tuple[str, ...]


class _Page:
    """How a page is written: for whom, and how much of it."""

    def __init__(self, *, color: bool, verbose: bool, spokes: int | None) -> None:
        self._color = color
        self._verbose = verbose
        self._spokes = spokes

    def of_listener(self, answers: Sequence[InForce]) -> Iterator[str]:
        """What is on the listener itself, then route by route."""
        yield self._painted(_listener(answers[0].path), Style.BOLD)
        for route, below in groupby(answers, key=lambda answer: answer.path.route):
            of_route = list(below)
            hostnames = dict.fromkeys(name for answer in of_route for name in answer.hostnames)
            names = listed(list(hostnames), _HOSTNAMES) or "any hostname"
            if route is None:
                yield f"  {names}"
            else:
                yield f"  {self._painted(str(route), Style.BOLD)}: {names}"
            yield from self._policies(of_route)

    def _policies(self, answers: Sequence[InForce]) -> Iterator[str]:
        """Kind by kind, what is in force; rules on which it is the same are told at once."""
        of_rule = groupby(answers, key=lambda answer: _rule(answer.path))
        rules: dict[_Block, list[str]] = {}
        for rule, below in of_rule:
            for block in self._blocks(list(below)):
                rules.setdefault(block, []).append(rule)
        every = dict.fromkeys(rule for names in rules.values() for rule in names)
        for block, names in sorted(rules.items(), key=lambda item: item[0].kind):
            where = _on_rules(names, len(every))
            yield f"    {self._painted(block.kind, Style.CYAN)} {where}{block.on}"
            yield from (f"      {line}" for line in block.lines)

    def _blocks(self, answers: Sequence[InForce]) -> Iterator[_Block]:
        """What is in force on one rule; spokes on which only values differ are told at once."""
        alike: dict[tuple[Any, ...], list[InForce]] = {}
        for answer in answers:
            key = _looks(answer, with_values=self._verbose)
            alike.setdefault((answer.group, answer.kind, *key), []).append(answer)
        for same in alike.values():
            spokes = [spoke for answer in same for spoke in answer.spokes]
            yield _Block(same[0].kind, self._on(spokes), tuple(self._answer(same)))

    def _answer(self, same: Sequence[InForce]) -> Iterator[str]:
        first = same[0]
        if first.failing:
            yield self._painted(f"requests are answered with 500: {first.failing}", Style.YELLOW)
        if first.unknown:
            yield from self._unknown(first)
            return
        if not first.rules:
            yield "nothing is in force"
        width = max((len(rule.rule.key) for rule in first.rules), default=0)
        for number, rule in enumerate(first.rules):
            source = self._painted(f"({rule.origin})", Style.FAINT)
            yield f"{rule.rule.key:{width}}  from {_block(rule)} {source}"
            yield from (f"{'':{width}}  {line}" for line in self._changes(same, number))
            if self._verbose:
                yield from (f"    {line}" for line in _value(rule.rule.value))
        for line in _overruled(first.overruled):
            yield self._painted(line, Style.FAINT)
        for other in first.others:
            policies = ", ".join(dict.fromkeys(rule.rule.policy.full_name for rule in other))
            line = f"or, where the cluster has them in another order: {policies or 'nothing'}"
            yield self._painted(line, Style.YELLOW)

    def _unknown(self, answer: InForce) -> Iterator[str]:
        """Nothing is claimed: whose policies are there, and why nobody can tell what holds."""
        yield self._painted(f"not known: {answer.unknown}", Style.YELLOW)
        policies = dict.fromkeys((_block(rule), rule.origin) for rule in answer.candidates)
        for policy, origin in policies:
            yield f"may be: {policy} {self._painted(f'({origin})', Style.FAINT)}"

    def _changes(self, same: Sequence[InForce], number: int) -> Iterator[str]:
        """The overrides that changed the rule, each with its spokes if not on all of them."""
        changed: dict[Origin, list[str]] = {}
        for answer in same:
            for origin in answer.rules[number].changed_by:
                changed.setdefault(origin, []).extend(answer.spokes)
        everywhere = sum(len(answer.spokes) for answer in same)
        for origin, spokes in sorted(changed.items()):
            where = "" if len(spokes) == everywhere else f" {self._on(spokes)}"
            source = self._painted(f"({origin})", Style.FAINT)
            yield f"changed by an override{where} {source}"

    def _on(self, spokes: Sequence[str]) -> str:
        return on_spokes(spokes, self._spokes)

    def _painted(self, text: str, style: Style) -> str:
        return paint(text, style, color=self._color)


def _on_rules(names: Sequence[str], total: int) -> str:
    """Name the rules of a route, if it is not all of several; a listener has none."""
    if names == [""]:
        return ""
    if len(names) == total > 1:
        return "on every rule, "
    return f"on {'rule' if len(names) == 1 else 'rules'} {', '.join(names)}, "


def _rule(path: RequestPath) -> str:
    return path.rule + (f" > {path.backend}" if path.backend is not None else "")


def _looks(answer: InForce, *, with_values: bool) -> tuple[Any, ...]:
    """What a reader sees of an answer, but for the overrides that changed its rules."""
    values = [repr(rule.rule.value) for rule in answer.rules] if with_values else []
    return (
        tuple((rule.rule.key, rule.rule.policy, rule.origin) for rule in answer.rules),
        tuple((item.overruled, item.origin, item.by) for item in answer.overruled),
        tuple(
            tuple((rule.rule.key, rule.rule.policy) for rule in other) for other in answer.others
        ),
        tuple(values),
        answer.unknown,
        answer.failing,
        tuple((rule.rule.key, rule.rule.policy, rule.origin) for rule in answer.candidates),
    )


def _block(rule: RuleInForce) -> str:
    """The policy, and which block of its spec has the rule."""
    block = rule.rule.field[1] if len(rule.rule.field) > 1 else ""
    of_block = f"the {block} of " if block in _BLOCKS else ""
    return of_block + rule.rule.policy.full_name


def _overruled(items: Sequence[RuleNotInForce]) -> Iterator[str]:
    """What is not in force, each policy's rules at once where the same overrules them."""
    rules: dict[tuple[Ref, Ref, str], list[RuleNotInForce]] = {}
    for item in items:
        lost = item.overruled
        rules.setdefault((lost.policy, lost.by, lost.why), []).append(item)
    for (policy, by, why), lost_rules in rules.items():
        names = ", ".join(item.overruled.key for item in lost_rules if item.overruled.key)
        what = f"{names} of {policy.full_name}" if names else policy.full_name
        first = lost_rules[0]
        other = f" (by {by.full_name}, {first.by})" if by != policy else ""
        yield f"not in force: {what} ({first.origin}): {why}{other}"


def _value(value: Any) -> list[str]:  # noqa: ANN401  (JSON of any shape)
    text: str = value if isinstance(value, str) else yamlio.emit(value)
    return text.splitlines()
