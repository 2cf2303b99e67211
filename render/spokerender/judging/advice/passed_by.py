"""Advice on rules for whose requests a plugin finds other policies (`judging.lookups`)."""

from collections.abc import Iterator

from msgspec.structs import replace

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import WARNING, Result
from spokerender.judging.advice.phrases import list_few
from spokerender.judging.advice.view import JudgedSpokeView
from spokerender.judging.lookups import ActionSet, PluginLookup
from spokerender.topology.matches import Request, read_path, write_fields

_CURE = (
    "match headers by exact values, paths without a slash at their end, and methods in all rules "
    "for a path or in none; match no query parameters, and write [0-9] for \\d and [.] for \\."
)


def check_lookups(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a result for each match whose requests get other policies than its rule has."""
    lookup = PluginLookup(view.topology, ((item, view.kind(item)) for item in view.effective))
    sets = [each for on_gateway in lookup.sets.values() for each in on_gateway]
    free = {(s.hostname, read_path(s.match)) for s in sets if not s.match.get("method")}
    for own in sets:
        is_contended = (own.hostname, read_path(own.match)) in free
        for request in _make_witnesses(own, is_contended=is_contended):
            answer = lookup.find(own.path, request, lambda value: value)
            if not answer.failing and {it.rules for it in answer.sets} == {own.rules}:
                continue
            lost, found = (
                list_few(sorted({ref for each in some for ref, _ in each.rules}))
                for some in ([own], answer.sets)
            )
            then = f"finds {found or 'no policy'} for {request.path or 'them'}, not {lost}"
            then = f"answers with 500, as {answer.failing}" if answer.failing else then
            rule = own.path.levels[-1]
            yield view.result(
                codes.PASSED_BY,
                rule.whole,
                f"{rule} is for {write_fields(own.match)}: Kuadrant's plugin {then}",
                _CURE,
                field="spec.rules",
                severity=None if request.path == read_path(own.match)[1] else WARNING,
            )


def _make_witnesses(own: ActionSet, *, is_contended: bool) -> Iterator[Request]:
    """Yield requests for a match for which the plugin may take another action set."""
    match, (kind, path) = own.match, read_path(own.match)
    headers = {item["name"]: str(item.get("value")) for item in match.get("headers", ())}
    odd = [item["name"] for item in match.get("headers", ()) if item.get("type") != "Exact"]
    method = match.get("method", "GET")
    request = Request(
        "http",
        own.hostname.replace("*", "any"),
        80,
        method if isinstance(method, str) else "POST",
        path,
        headers={**headers, **dict.fromkeys(odd, "")},
    )
    has_method = isinstance(match.get("method"), str)
    if odd or match.get("queryParams") or own.unread or (has_method and is_contended):
        yield request
    if kind == "PathPrefix" and path.rstrip("/") != path != "/":
        yield replace(request, path=path.rstrip("/"))
