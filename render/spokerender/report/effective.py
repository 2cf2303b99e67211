"""The effective policies as a tree, and as JSON."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from spokerender.explain.in_force import place_answer
from spokerender.explain.values import EffectiveAnswer, RuleInForce, RuleNotInForce
from spokerender.findings.phrasing import listed, on_spokes
from spokerender.model import Origin, grouped
from spokerender.rendering.values.alike import tell_apart
from spokerender.report.fields import value_lines
from spokerender.report.findings import findings_text
from spokerender.report.reports import EffectiveReport, FindingsReport, Look
from spokerender.report.serializing import stream_json, with_causes
from spokerender.report.terminal import Style, paint
from spokerender.topology.paths import RequestPath

_HOSTNAMES = 3
_OPEN = "anybody", "served; nothing asks who calls"
_BARE = "no route", "nothing is served"
_BLOCKS = ("defaults", "overrides", "default", "override")


def effective_text(report: EffectiveReport, look: Look) -> str:
    """Return the effective policies as a tree: Gateway and listener, route, rules, policies.

    Rules of a route that have the same policies share an entry. The findings of `check` about the
    policies and routes come last. Without an answer, the text repeats the question, so that users
    notice a wrong hostname.
    """
    answers = [alike.common for alike in report.answers]
    if not answers:
        question = report.question
        conditions = (
            f" to route {question.route}" if question.route else "",
            f" for host {question.hostname}" if question.hostname else "",
            f" on {question.spoke}" if question.spoke else "",
        )
        subject = f"no {question.kind} is on any path" if question.kind else "nothing is served"
        return f"{subject}{''.join(conditions)}\n"
    tree = _Tree(look, report.spokes)
    # Answers come sorted by path, so groupby sees each listener once.
    listeners = [list(group) for _, group in groupby(answers, key=lambda a: _listener(a.path))]
    parts = ["".join(f"{line}\n" for line in tree.listener_lines(group)) for group in listeners]
    results = tuple(dict.fromkeys(result for answer in answers for result in answer.results))
    if results:
        findings = FindingsReport(results=results, spokes=report.spokes)
        parts.append(findings_text(findings, Look(color=look.color)))
    return "\n".join(parts)


def effective_json(report: EffectiveReport, _: Look) -> Iterator[str]:
    """Return the effective policies as one JSON object; spokes with equal values share one."""
    findings = {"results": with_causes(report.results)} if report.results else {}
    answers = tell_apart(report.answers, place_answer)
    return stream_json({"effectivePolicies": answers, **findings})


def _listener(path: RequestPath) -> str:
    listener_set = f" of {path.listener_set}" if path.listener_set is not None else ""
    gateway_class = f" ({path.gateway_class})" if path.gateway_class else ""
    return f"{path.gateway}{gateway_class} > listener {path.listener}{listener_set}"


class _PolicyEntry(Struct, frozen=True):
    """The effective policy of one kind on a rule, as lines."""

    kind: str
    where: str
    lines: tuple[str, ...]


class _Tree:
    """Writes the lines of a tree for the reader that `look` describes."""

    def __init__(self, look: Look, spokes: int | None) -> None:
        self._look = look
        self._spokes = spokes

    def listener_lines(self, answers: Sequence[EffectiveAnswer]) -> Iterator[str]:
        """Yield the policies of the listener itself, then the policies of each route."""
        yield self._paint(_listener(answers[0].path), Style.BOLD)
        for route, group in groupby(answers, key=lambda answer: answer.path.route):
            route_answers = list(group)
            hostnames = dict.fromkeys(name for item in route_answers for name in item.hostnames)
            names = listed(list(hostnames), _HOSTNAMES) or "all hostnames"
            head = f"{self._paint(str(route), Style.BOLD)}: " if route is not None else ""
            yield f"  {head}{names}"
            yield from self._route_lines(route_answers)

    def _route_lines(self, answers: Sequence[EffectiveAnswer]) -> Iterator[str]:
        """Yield the entries of a route by kind; rules with equal entries share an entry."""
        rules_by_entry = grouped(
            (entry, rule)
            for rule, group in groupby(answers, key=lambda answer: _rule_name(answer.path))
            for entry in self._entries(list(group))
        )
        rules = dict.fromkeys(rule for names in rules_by_entry.values() for rule in names)
        # By kind, since a reader looks for one kind of policy; routes and listeners keep their
        # order.
        for entry, names in sorted(rules_by_entry.items(), key=lambda item: item[0].kind):
            on_rules = _on_rules(names, len(rules))
            yield f"    {self._paint(entry.kind, Style.CYAN)} {on_rules}{entry.where}"
            yield from (f"      {line}" for line in entry.lines)

    def _entries(self, answers: Sequence[EffectiveAnswer]) -> Iterator[_PolicyEntry]:
        """Yield the entries of a rule; spokes whose entries look the same share an entry."""
        # Answers that differ in what is not printed would look like repeats.
        groups: dict[tuple[Any, ...], list[EffectiveAnswer]] = {}
        for answer in answers:
            # Overrides are left out: spokes that differ only in them share an entry.
            key = _appearance(answer, with_values=self._look.verbose)
            groups.setdefault((answer.group, answer.kind, *key), []).append(answer)
        for alike in groups.values():
            spokes = [spoke for answer in alike for spoke in answer.spokes]
            label, lines = alike[0].kind, tuple(self._answer_lines(alike))
            # An answer without a kind says that no policy of any kind guards the path.
            if not label:
                label, line = _OPEN if alike[0].path.route is not None else _BARE
                lines = (self._paint(line, Style.YELLOW),)
            yield _PolicyEntry(label, self._on(spokes), lines)

    def _answer_lines(self, alike: Sequence[EffectiveAnswer]) -> Iterator[str]:
        first = alike[0]
        if first.failing:
            yield self._paint(f"requests are answered with 500: {first.failing}", Style.YELLOW)
        if first.unknown:
            yield self._paint(f"unknown: {first.unknown}", Style.YELLOW)
            for policy, origin in dict.fromkeys((_policy(r), r.origin) for r in first.candidates):
                yield f"may be in force: {policy} {self._faint(origin)}"
            # With an unknown outcome, rules in force would claim more than is known.
            return
        if not first.rules:
            yield "nothing is in force"
        width = max((len(rule.rule.key) for rule in first.rules), default=0)
        for number, rule in enumerate(first.rules):
            yield f"{rule.rule.key:{width}}  from {_policy(rule)} {self._faint(rule.origin)}"
            yield from (f"{'':{width}}  {line}" for line in self._override_lines(alike, number))
            if self._look.verbose:
                yield from (f"    {line}" for line in value_lines(rule.rule.value))
        yield from self._made_lines(first)
        for line in _overruled_lines(first.overruled):
            yield self._paint(line, Style.FAINT)
        for other in first.others:
            policies = ", ".join(dict.fromkeys(rule.rule.policy.full_name for rule in other))
            line = f"or, as only the cluster can decide: {policies or 'nothing'}"
            yield self._paint(line, Style.YELLOW)

    def _made_lines(self, answer: EffectiveAnswer) -> Iterator[str]:
        for part in answer.made:
            yield f"{self._paint(part.to, Style.CYAN)} gets"
            yield from (f"  {line}" for line in value_lines(part.value))
            if part.not_in_files:
                yield self._paint(f"  in no file: {part.not_in_files}", Style.YELLOW)

    def _override_lines(self, alike: Sequence[EffectiveAnswer], number: int) -> Iterator[str]:
        """Yield the overrides that changed a rule, with their spokes unless these are all."""
        spokes_by_origin: dict[Origin, list[str]] = {}
        for answer in alike:
            for origin in answer.rules[number].changed_by:
                spokes_by_origin.setdefault(origin, []).extend(answer.spokes)
        total = sum(len(answer.spokes) for answer in alike)
        for origin, spokes in sorted(spokes_by_origin.items()):
            where = "" if len(spokes) == total else f" {self._on(spokes)}"
            yield f"changed by an override{where} {self._faint(origin)}"

    def _on(self, spokes: Sequence[str]) -> str:
        return on_spokes(spokes, self._spokes)

    def _faint(self, origin: Origin) -> str:
        return self._paint(f"({origin})", Style.FAINT)

    def _paint(self, text: str, style: Style) -> str:
        return paint(text, style, color=self._look.color)


def _on_rules(names: Sequence[str], total: int) -> str:
    """Return `on rule a, `, or `on every rule, ` if `names` are all; empty for a listener."""
    if names == [""]:
        return ""
    if len(names) == total > 1:
        return "on every rule, "
    return f"on {'rule' if len(names) == 1 else 'rules'} {', '.join(names)}, "


def _rule_name(path: RequestPath) -> str:
    return path.rule + (f" > {path.backend}" if path.backend is not None else "")


def _appearance(answer: EffectiveAnswer, *, with_values: bool) -> tuple[Any, ...]:
    """Return the parts of an answer that decide how its entry looks, without overrides."""
    # repr, because values are dicts and lists, which cannot be hashed.
    values = [repr(rule.rule.value) for rule in answer.rules] if with_values else []
    return (
        tuple((rule.rule.key, rule.rule.policy, rule.origin) for rule in answer.rules),
        tuple((item.overruled, item.origin, item.by) for item in answer.overruled),
        tuple(
            tuple((rule.rule.key, rule.rule.policy) for rule in other) for other in answer.others
        ),
        tuple(values),
        repr(answer.made),
        answer.unknown,
        answer.failing,
        tuple((rule.rule.key, rule.rule.policy, rule.origin) for rule in answer.candidates),
    )


def _policy(rule: RuleInForce) -> str:
    """Return the policy of a rule, and the block of the policy's spec that contains the rule."""
    block = rule.rule.field[1] if len(rule.rule.field) > 1 else ""
    of_block = f"the {block} of " if block in _BLOCKS else ""
    return of_block + rule.rule.policy.full_name


def _overruled_lines(items: Sequence[RuleNotInForce]) -> Iterator[str]:
    """Yield a line for rules that are not effective: one for each policy and reason."""
    lost = ((item.overruled, item) for item in items)
    rules = grouped(((over.policy, over.by, over.why), item) for over, item in lost)
    for (policy, by, why), lost_rules in rules.items():
        names = ", ".join(item.overruled.key for item in lost_rules if item.overruled.key)
        subject = f"{names} of {policy.full_name}" if names else policy.full_name
        first = lost_rules[0]
        other = f" (by {by.full_name}, {first.by})" if by != policy else ""
        yield f"not in force: {subject} ({first.origin}): {why}{other}"
