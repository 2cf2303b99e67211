"""The answers to a request as text, from the connection down to the backends, and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from spokerender.explain.answered import (
    AnsweringRule,
    AnswerOfProxy,
    RequestAnswer,
)
from spokerender.explain.values import EffectiveAnswer
from spokerender.explain.words import flatten
from spokerender.findings.phrasing import joined, on_spokes
from spokerender.model import Origin, Ref, grouped
from spokerender.rendering.values.alike import Alike
from spokerender.report.reports import AskReport, Look
from spokerender.report.serializing import stream_json, with_causes
from spokerender.report.terminal import Style, paint

_ONLY_THERE = "as only the cluster can decide"


class _AnswerLine(Struct, frozen=True):
    """A line of an answer; of successive lines with one label only the first shows the label."""

    label: str
    text: str
    origin: Origin | None = None
    style: Style | None = None


def ask_text(report: AskReport, look: Look) -> str:
    """Return the answers and their changes as text; spokes that serve the request come first."""
    parts = [paint(report.request, Style.BOLD, color=look.color) + "\n"]
    for alike in report.answers:
        answer = _fill_in(alike)
        lines = [*_list_lines(answer, report.caller)]
        head = paint(on_spokes(answer.spokes, report.spokes), Style.CYAN, color=look.color)
        parts.append("".join(f"{line}\n" for line in (head, *_write_lines(lines, look))))
        if report.against:
            parts += _write_changes(report, answer.spokes, lines, look)
    if report.hint:
        parts.append(f"{report.hint}\n")
    return "\n".join(parts)


class AskDocument(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answers to a request, answers of an earlier state to compare with, and findings.

    `hint` suggests another request if no spoke serves this one. `against` names the earlier state.
    """

    request: str
    answers: tuple[RequestAnswer, ...]
    hint: str = ""
    against: str = ""
    earlier: tuple[RequestAnswer, ...] = ()
    results: tuple[dict[str, Any], ...] = ()


def build_ask_schema() -> dict[str, Any]:
    """Return the JSON Schema of the document; policies have the same shape as in `effective`."""
    # Start-up counts: few runs print a schema.
    import msgspec.json  # noqa: PLC0415

    from spokerender.report.review_document import FilePlace, ObjectReference  # noqa: PLC0415

    schema = msgspec.json.schema(AskDocument)
    # The serialiser writes references and origins in its own shape, not by their Structs.
    for name, kind in (("Ref", ObjectReference), ("Origin", FilePlace)):
        schema["$defs"][name] = msgspec.json.schema(kind)["$defs"][kind.__name__]
    schema["$defs"]["EffectiveAnswer"] = {"type": "object"}
    dialect, title = "https://json-schema.org/draft/2020-12/schema", "Answers to a request"
    return {"$schema": dialect, "title": title, **schema}


def ask_json(report: AskReport, _: Look) -> Iterator[str]:
    """Return the answers as one JSON object; spokes with equal values share an answer."""
    members = {
        "request": report.request,
        "answers": (answer for alike in report.answers for answer in alike.each),
        "hint": report.hint,
        "against": report.against,
        "earlier": report.against and (it for alike in report.earlier for it in alike.each),
        "results": with_causes(report.results),
    }
    # Empty members are left out, as `omit_defaults` of the documented type says.
    return stream_json({key: value for key, value in members.items() if value})


def _write_changes(
    report: AskReport, spokes: Sequence[str], lines: Sequence[_AnswerLine], look: Look
) -> Iterator[str]:
    """Yield how the answer `lines` of `spokes` differs from their earlier answers."""
    answers = [_fill_in(alike) for alike in report.earlier]
    # By spoke: spokes with one answer now may have had several before.
    places = {name: place for place, answer in enumerate(answers) for name in answer.spokes}
    groups = grouped((places.get(name), name) for name in spokes)
    for place, names in groups.items():
        where = "" if len(groups) == 1 else f" {on_spokes(names, report.spokes)}"
        if place is None:
            yield f"since {report.against}{where}: it is a new spoke\n"
            continue
        sides = _list_lines(answers[place], report.caller), lines
        # The place of a line may move without a change of the answer.
        was, now = ({(line.label, line.text): line.origin for line in side} for side in sides)
        gone = [("-", *line, was[line]) for line in was if line not in now]
        new = [("+", *line, now[line]) for line in now if line not in was]
        if not gone and not new:
            yield f"since {report.against}{where}: the same\n"
            continue
        text = "".join(
            f"{sign} {label}  {words}{f'  ({origin})' if origin is not None else ''}\n"
            for sign, label, words, origin in (*gone, *new)
        )
        yield f"{paint(f'since {report.against}{where}', Style.YELLOW, color=look.color)}\n{text}"


def _write_lines(lines: Sequence[_AnswerLine], look: Look) -> Iterator[str]:
    """Yield the lines, with labels in a column, and with file and line."""
    width = max((len(line.label) for line in lines), default=0)
    last = ""
    for line in lines:
        label = line.label if line.label != last else ""
        last = line.label
        text = paint(line.text, line.style, color=look.color) if line.style else line.text
        place = f"({line.origin})" if line.origin is not None else ""
        text += f"  {paint(place, Style.FAINT, color=look.color)}" if place else ""
        yield f"  {label:{width}}  {text}"


def _fill_in(alike: Alike[RequestAnswer]) -> RequestAnswer:
    """Return an answer with the values of its only spoke, or with placeholders for several."""
    # A single spoke has real values, which read better than placeholders.
    return alike.common if alike.spokes.bundles[1:] else next(alike.each)


def _list_lines(answer: RequestAnswer, caller: str) -> Iterator[_AnswerLine]:
    if answer.refused:
        yield _AnswerLine("refused", answer.refused, style=Style.YELLOW)
    # Proxies with a rule as well as a refusal are printed with their rule, below.
    refused = grouped((item.refused, item) for item in answer.proxies if not item.rules)
    for why, proxies in refused.items():
        names = joined([item.proxy.full_name for item in proxies], 5)
        yield _AnswerLine("refused", f"{why} (Gateway {names})", style=Style.YELLOW)
        for proxy in proxies:
            yield from _passed_lines(proxy)
    for proxy in answer.proxies:
        if proxy.rules:
            yield from _proxy_lines(proxy, caller)


def _proxy_lines(proxy: AnswerOfProxy, caller: str) -> Iterator[_AnswerLine]:
    for listener in proxy.listeners:
        port = f"on port {listener.port}" if listener.port else "on a port that no file has,"
        text = f"{listener.protocol or 'a listener'} {port} of {listener.listener}"
        yield _AnswerLine("connect", text, listener.origin)
    for number, rule in enumerate(proxy.rules):
        or_ = f"or, {_ONLY_THERE}: " if number else ""
        yield _AnswerLine("route", f"{or_}{_name_rule(rule.rule)}", rule.origin)
        # Once, below the first rule: the routes passed over are the same for each.
        if not number:
            yield from _passed_lines(proxy)
        if rule.plugin:
            text = f"the gateway's plugin finds {rule.plugin}"
            yield _AnswerLine("who", text, style=Style.YELLOW)
        yield from _rule_lines(rule, caller)
    if proxy.refused:
        yield _AnswerLine("refused", f"or, {_ONLY_THERE}: {proxy.refused}", style=Style.YELLOW)


def _passed_lines(proxy: AnswerOfProxy) -> Iterator[_AnswerLine]:
    for passed in proxy.passed:
        yield _AnswerLine("route", f"not {_name_rule(passed.rule)}: {passed.why}")


def _name_rule(rule: Ref) -> str:
    return f"{rule.whole}, {rule.section_name}"


def _rule_lines(rule: AnsweringRule, caller: str) -> Iterator[_AnswerLine]:
    # Who may call comes first, then limits, then the rest: the order in which a reader decides.
    who = [item for item in rule.asked if item.label == "who"]
    yield from (_AnswerLine(item.label, item.text, item.origin) for item in who)
    if rule.anonymous.is_admitted:
        # Said outright: an absent line would look like an oversight of ours.
        yield _AnswerLine("who", "anybody: nothing asks who calls", style=Style.YELLOW)
    else:
        depends = "depends on " if rule.verdict.is_admitted is None else ""
        yield _AnswerLine("who", f"{caller}: {depends}{rule.verdict.why or 'let in'}")
    for item in sorted(rule.asked, key=lambda item: item.label != "limit"):
        if item not in who:
            yield _AnswerLine(item.label, item.text, item.origin)
    for policy in rule.policies:
        yield from _policy_lines(policy)
    for key, value in rule.does.items():
        for item in value if isinstance(value, list) else [value]:
            yield _AnswerLine("does", ", ".join(flatten(item, key)))
    if rule.failing:
        yield _AnswerLine("fails", f"requests are answered with 500: {rule.failing}")
    for backend in rule.backends:
        yield _AnswerLine("to", str(backend))


def _policy_lines(policy: EffectiveAnswer) -> Iterator[_AnswerLine]:
    """Yield lines if the policies of a kind fail, are unknown, or have other possible outcomes."""
    if policy.failing:
        text = f"requests are answered with 500: {policy.failing}"
        yield _AnswerLine(policy.kind, text, style=Style.YELLOW)
    elif policy.unknown:
        yield _AnswerLine(policy.kind, f"not known: {policy.unknown}", style=Style.YELLOW)
    for other in policy.others:
        names = ", ".join(dict.fromkeys(rule.rule.policy.full_name for rule in other))
        yield _AnswerLine(policy.kind, f"or, {_ONLY_THERE}: {names or 'nothing'}")
