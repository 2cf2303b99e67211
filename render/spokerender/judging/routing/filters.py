"""Finds filters of a route's rules that are unsupported or absent, or contradict each other.

The supported filters are a fact about each controller (`RoutingRules`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.judging.attachment.statuses import Truth
from spokerender.judging.routing.scene import Scene
from spokerender.judging.routing.values import UNSUPPORTED, UNVERIFIED, RuleProblem
from spokerender.kinds.routing import RoutingRules
from spokerender.model import CONFIG_MAP, SECRET, Ref
from spokerender.model.shapes import as_list, as_mapping, as_mappings, as_text
from spokerender.topology.node import Node

_RESOLVED, _ACCEPTED = "ResolvedRefs", "Accepted"
_MODIFIERS = ("requestHeaderModifier", "responseHeaderModifier")
_GRPC = "GRPCRoute"
_CALLED = {"RequestMirror": "requestMirror", "ExternalAuth": "externalAuth"}
"""The types of filters that send requests to a backend, each with its field."""
_REGEX, _CREDENTIAL = "RegularExpression", "credential"
# CEL's `matches` takes RE2, and fails for an invalid expression.
_IS_REGEX = "''.matches(self) in [true, false]"
_EXPRESSIONS = ("value", "service", "method")
"""The fields of an entry that are regular expressions if its type is `RegularExpression`."""
_SUCCESS, _FAILURE = range(200, 300), {"statusCode": 500}
"""The successful statuses, and the response of a rule whose filter is unsupported or absent."""


_Fields = Mapping[str, Any]


def is_expression(scene: Scene, entry: _Fields) -> bool:
    """Return whether all regular expressions in an entry, if it has any, are valid in RE2."""
    if entry.get("type") != _REGEX:
        return True
    return all(scene.holds(_IS_REGEX, as_text(entry.get(field))) for field in _EXPRESSIONS)


class FilteredRule(Struct, frozen=True, eq=False):
    """A rule of a route, given by its index, and the `rules` of its controller, if known.

    `check_backend` yields the problems of a backend to which a filter sends requests.
    """

    scene: Scene
    rules: RoutingRules | None
    route: Node
    index: int
    check_backend: Callable[[_Fields], Iterator[RuleProblem]]


def check_filters(rule: FilteredRule, filters: Iterable[_Fields]) -> Iterator[RuleProblem]:
    """Yield the certain and possible problems of the filters of a rule or a backend, in order.

    `filters` is consumed up to the last filter that the controller reads.
    """
    # Envoy Gateway's chain; other controllers look at each filter alone.
    if rule.rules is not None and rule.rules.combines_filters:
        yield from _Chain(rule, rule.rules).check(filters)
        return
    for item in filters:
        yield from _check_filter(rule, item)


def is_wrong(rules: RoutingRules, route: Node, item: _Fields) -> bool:
    """Return whether the type of a filter, or the kind of its extension, is unsupported."""
    kind = as_text(item.get("type"))
    ref = read_extension(route, item)
    is_named = kind == "ExtensionRef" and rules.extensions
    is_foreign = is_named and (ref.group, ref.kind) not in rules.extensions
    # No list of filters for a kind means that all are supported.
    return bool(is_foreign) or kind not in dict(rules.filters).get(route.ref.kind, (kind,))


def read_extension(route: Node, item: _Fields) -> Ref:
    """Return the object that a filter of type ExtensionRef names."""
    named = as_mapping(item.get("extensionRef"))
    group, kind, name = (as_text(named.get(key)) for key in ("group", "kind", "name"))
    return Ref(group, kind, route.ref.namespace, name)


def _check_filter(rule: FilteredRule, item: _Fields) -> Iterator[RuleProblem]:
    kind, rules, route = as_text(item.get("type")), rule.rules, rule.route
    if rules is not None and not rules.wrong_filter[1]:
        if is_wrong(rules, route, item):  # no condition reports it
            why = f"its filter of type {kind} is not supported"
            yield RuleProblem("", Truth.FALSE, "", why, rule.index)
    elif rules is not None and kind not in dict(rules.filters).get(route.ref.kind, (kind,)):
        condition, reason = rules.wrong_filter
        why = f"filters of type {kind} are not supported"
        yield RuleProblem(condition, Truth.FALSE, reason, why, rule.index)
    elif kind == "ExtensionRef":
        if rules is None or rules.extensions:
            yield from _check_extension(rule, item)
    elif kind in _CALLED:
        called = as_mapping(as_mapping(item.get(_CALLED[kind])).get("backendRef"))
        is_strict = rules is not None and route.ref.kind in rules.strict_mirrors
        for problem in rule.check_backend(called):
            yield replace(problem, is_strict=is_strict)
    why = _explain_headers(rule.scene, rules, item) if rules is not None else ""
    if why:
        why = f"a filter of type {kind} {why}"
        yield RuleProblem(_ACCEPTED, Truth.FALSE, UNSUPPORTED, why, rule.index)


def _check_extension(rule: FilteredRule, item: _Fields) -> Iterator[RuleProblem]:
    ref = read_extension(rule.route, item)
    presence, rules = rule.scene.presence(ref), rule.rules
    if rules is not None and (ref.group, ref.kind) not in rules.extensions:
        why = f"a filter can't be a {ref.kind} of {ref.group}"
        yield RuleProblem(_ACCEPTED, Truth.FALSE, UNSUPPORTED, why, rule.index)
    elif presence is Truth.FALSE and rules is not None:
        why = f"{ref} is not there"
        yield RuleProblem(_RESOLVED, Truth.FALSE, UNSUPPORTED, why, rule.index)
    # Without known rules a filter is only needed, and never refused.
    elif presence is not Truth.TRUE:
        why = f"the spoke has to have {ref}"
        yield RuleProblem(_RESOLVED, Truth.UNKNOWN, UNVERIFIED, why, rule.index)


def _explain_headers(scene: Scene, rules: RoutingRules, item: _Fields) -> str:
    """Return the problem if a filter changes a header or sets a value that it must not set."""
    for modifier in _MODIFIERS:
        fields = as_mapping(item.get(modifier))
        if rules.staged:  # Cilium, ValidateHeaderModifier
            fields = {"set": fields.get("set")} if modifier == _MODIFIERS[0] else {}
        changed = [each for key in ("add", "set") for each in as_mappings(fields.get(key))]
        names = [as_text(each.get("name")) for each in changed]
        names += [as_text(name) for name in as_list(fields.get("remove"))]
        if rules.headers and not all(scene.holds(rules.headers, name) for name in names):
            return "changes a header that can't be changed"
        values = [as_text(each.get("value")) for each in changed]
        if rules.header_values and not all(scene.holds(rules.header_values, v) for v in values):
            return "has a value that no header can have"
    return ""


class _Chain:
    """Checks the filters of a rule together, in order, as Envoy Gateway does (filters.go).

    Envoy Gateway reads no filters after a filter that answers requests or fails.
    """

    def __init__(self, rule: FilteredRule, rules: RoutingRules) -> None:
        self._rule, self._rules = rule, rules
        self._scene, self._route = rule.scene, rule.route
        self._mirrors = self._mirrors_surely = self._redirects = False
        self._narrows = self._is_open = False
        self._answer: _Fields = {}
        self._rewritten: dict[str, bool] = {}
        """The parts rewritten so far; True if rewritten by a filter of the Gateway API."""

    def check(self, filters: Iterable[_Fields]) -> Iterator[RuleProblem]:
        """Yield the certain and possible problems of the filters."""
        for problem in self._go_through(filters):
            # A problem that drops the rule is of its matches; all others are reported as one.
            joined = replace(problem, joined=not problem.is_dropped)
            # A filter that may be absent may also be the last filter that is read.
            is_behind = self._is_open and problem.state is Truth.FALSE
            open_question = {"state": Truth.UNKNOWN, "reason": UNVERIFIED} if is_behind else {}
            yield replace(joined, **open_question)

    def _go_through(self, filters: Iterable[_Fields]) -> Iterator[RuleProblem]:
        for item in filters:
            problems = [*_check_filter(self._rule, item)]
            yield from problems
            kind = as_text(item.get("type"))
            is_sound = all(problem.state is not Truth.FALSE for problem in problems)
            self._mirrors |= kind == "RequestMirror" and is_sound
            self._mirrors_surely |= kind == "RequestMirror" and not problems
            self._redirects |= kind == "RequestRedirect"
            if kind == "URLRewrite" and not self._rewrite(item.get("urlRewrite"), is_core=True):
                yield self._refuse("several filters rewrite the hostname or the path")
            elif kind == "ExtensionRef" and problems and is_sound:
                self._is_open = True
            elif kind == "ExtensionRef" and is_sound:
                yield from self._extend(read_extension(self._route, item))
            elif kind == "ExtensionRef" or is_wrong(self._rules, self._route, item):
                self._answer = _FAILURE
            if self._answer:
                # Envoy Gateway reads no further: requests are answered here.
                break
        yield from self._check_together()

    def _check_together(self) -> Iterator[RuleProblem]:
        if self._mirrors and (self._redirects or self._answer):
            why = "requests that are answered by the gateway can't be mirrored"
            problem = self._refuse(why, "IncompatibleFilters")
            open_question = {"state": Truth.UNKNOWN, "reason": UNVERIFIED}
            yield replace(problem, **({} if self._mirrors_surely else open_question))
        elif self._mirrors and self._is_open:
            why = "requests that are mirrored can't be answered: the spoke has to have its filters"
            yield replace(self._refuse(why, UNVERIFIED), state=Truth.UNKNOWN)
        elif self._route.ref.kind == _GRPC and self._answer.get("statusCode") in _SUCCESS:
            yield self._refuse("a gRPC request can't be answered with a status of success")

    def _refuse(self, why: str, reason: str = UNSUPPORTED) -> RuleProblem:
        return RuleProblem(_ACCEPTED, Truth.FALSE, reason, why, self._rule.index)

    def _rewrite(self, rewrite: object, *, is_core: bool) -> bool:
        """Note a filter's rewrite; return False if an earlier filter's rewrite excludes it."""
        parts = [part for part in ("hostname", "path") if part in as_mapping(rewrite)]
        is_repeated = parts and is_core in self._rewritten.values()
        if is_repeated or any(self._rewritten.get(part) is not None for part in parts):
            return False
        self._rewritten.update(dict.fromkeys(parts, is_core))
        return True

    def _extend(self, ref: Ref) -> Iterator[RuleProblem]:
        """Add an HTTPRouteFilter to the state of the chain, and yield its problems."""
        spec = self._scene.spec(ref)
        # An HTTPRouteFilter may narrow the rule that names it, once.
        matches = as_mappings(spec.get("matches"))
        if matches and self._narrows:
            yield self._refuse(f"{ref} is the second filter that has matches")
            return
        self._narrows |= bool(matches)
        cookies = [each for match in matches for each in as_mappings(match.get("cookies"))]
        if not all(is_expression(self._scene, each) for each in cookies):
            why = f"{ref} has an expression that is not RE2's"
            yield replace(self._refuse(why), is_dropped=True)
        rewrite = as_mapping(spec.get("urlRewrite"))
        if not self._rewrite(rewrite, is_core=False):
            yield self._refuse("several filters rewrite the hostname or the path")
            return
        for field in ("path.replaceRegexMatch", "hostname.pathRegex"):
            part, inner = field.split(".")
            pattern = as_mapping(as_mapping(rewrite.get(part)).get(inner))
            entry = {"type": _REGEX, "value": pattern.get("pattern")}
            if not is_expression(self._scene, entry):
                why = f"{ref} has an expression that is not RE2's (urlRewrite.{field})"
                yield self._refuse(why)
                return
        yield from self._answer_with(ref, spec)

    def _answer_with(self, ref: Ref, spec: _Fields) -> Iterator[RuleProblem]:
        """Note the response of an HTTPRouteFilter; yield the problems of the objects it names."""
        answer = spec.get("directResponse")
        body = as_mapping(as_mapping(answer).get("body"))
        named = as_mapping(body.get("valueRef")) if body.get("type") == "ValueRef" else {}
        yield from self._check_data(Ref(*CONFIG_MAP, ref.namespace, as_text(named.get("name"))))
        # The first answer stands.
        if isinstance(answer, Mapping) and not self._answer:
            self._answer = {"statusCode": 200, **answer}
        credential = as_mapping(as_mapping(spec.get("credentialInjection")).get("credential"))
        secret = as_mapping(credential.get("valueRef"))
        namespace = as_text(secret.get("namespace")) or ref.namespace
        needed = Ref(*SECRET, namespace, as_text(secret.get("name")))
        if not self._scene.topology.permits(ref, needed):
            self._answer = _FAILURE
            yield self._refuse(f"no ReferenceGrant in {namespace} lets {ref} name {needed}")
        else:
            yield from self._check_data(needed, _CREDENTIAL)

    def _check_data(self, ref: Ref, key: str = "") -> Iterator[RuleProblem]:
        """Yield a problem unless a ConfigMap or Secret exists and has `key` (empty: any data)."""
        if not ref.name:
            return
        presence, node = self._scene.presence(ref), self._scene.topology.find(ref)
        keys = node.keys if node is not None else ()
        is_there = key in keys if key else bool(keys) or (node is not None and node.has_bytes)
        is_read = node is not None and (bool(keys) or ref.kind == "ConfigMap")
        if presence is Truth.FALSE or (is_read and not is_there):
            self._answer = _FAILURE
            lacks = "is not there" if presence is Truth.FALSE else f"has no {key or 'data'}"
            yield self._refuse(f"{ref} {lacks}")
        elif presence is Truth.UNKNOWN:
            yield replace(
                self._refuse(f"the spoke has to have {ref}", UNVERIFIED), state=Truth.UNKNOWN
            )
