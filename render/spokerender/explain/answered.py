"""The answer to a request, as values that name their JSON keys."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from spokerender.explain.values import EffectiveAnswer
from spokerender.judging.effective.callers import CallerVerdict
from spokerender.model import Origin, Ref

_KEYS = {"origin": "file", "failing": "answeredWith500"}


class AnsweringListener(Struct, frozen=True, rename=_KEYS):
    """A listener that accepts a request: a section of its Gateway, and its line in the hub.

    The line is None for a Gateway that only the spoke has.
    """

    listener: Ref
    protocol: str
    port: int | str
    origin: Origin | None = None


class PassedRule(Struct, frozen=True):
    """A listener or a rule that nearly serves a request, and the reason why it does not."""

    rule: Ref
    why: str


class AskedOfCaller(Struct, frozen=True, rename=_KEYS):
    """A restriction of an effective policy, as text; `label` is `who`, `limit` or the kind."""

    label: str
    text: str
    origin: Origin


class AnsweringBackend(Struct, frozen=True, rename=_KEYS, omit_defaults=True):
    """A backend of a rule; `share` is its part of the requests if there are several backends.

    `share` is the weight instead if weights differ between spokes. `failing` says why requests to
    the backend are answered with 500.
    """

    backend: Ref
    port: int | str | None = None
    share: str = ""
    failing: str = ""

    def __str__(self) -> str:
        """Return the backend as text for people."""
        port = f":{self.port}" if self.port is not None else ""
        of = " of the requests" if "/" in self.share else ""
        share = f", {self.share}{of}" if self.share else ""
        failing = f"; they are answered with 500: {self.failing}" if self.failing else ""
        return f"{self.backend}{port}{share}{failing}"


class AnsweringRule(Struct, frozen=True, rename=_KEYS, omit_defaults=True):
    """A rule that serves a request: its callers, policies, effects and backends.

    `anonymous` is the verdict on a caller without credentials, `verdict` the verdict on the
    request's caller. `does` are the fields of the rule other than matches and backends, such as
    filters and timeouts. `failing` says why every request gets 500. `asked` are the restrictions of
    `policies` as text. `plugin` says which policies a plugin finds, if they are not the rule's
    (`judging.lookups`). `prefix` is the part of the path that filters replace.
    """

    rule: Ref
    origin: Origin
    anonymous: CallerVerdict
    verdict: CallerVerdict
    policies: tuple[EffectiveAnswer, ...]
    does: Mapping[str, Any]
    backends: tuple[AnsweringBackend, ...]
    failing: str = ""
    asked: tuple[AskedOfCaller, ...] = ()
    plugin: str = ""
    prefix: str = ""


class AnswerOfProxy(Struct, frozen=True):
    """The answer to a request at one proxy: a Gateway, or the GatewayClass of merged Gateways.

    `rules` are the rules that may serve the request, the likely rule first. `refused` says why
    surely or possibly no rule does. `is_certain` is False if other tools may add routes.
    """

    proxy: Ref
    listeners: tuple[AnsweringListener, ...]
    rules: tuple[AnsweringRule, ...]
    passed: tuple[PassedRule, ...]
    refused: str = ""
    is_certain: bool = True


class RequestAnswer(Struct, frozen=True):
    """The answer to a request on the spokes that share it.

    `refused` says that nothing listens on the port; then there are no proxies.
    """

    proxies: tuple[AnswerOfProxy, ...]
    refused: str = ""
    spokes: tuple[str, ...] = ()


class UncoveredRequests(Struct, frozen=True):
    """Guarded requests to a rule that are in no test, and the credentials that callers need."""

    rule: Ref
    hostnames: tuple[str, ...]
    match: str
    who: tuple[str, ...]
    spokes: tuple[str, ...] = ()
