"""The answer to a request, as values that name their JSON keys."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from spokerender.explain.values import EffectiveAnswer
from spokerender.formats.comparing import ABSENT
from spokerender.judging.effective.callers import CallerVerdict
from spokerender.model import Origin, Ref

_OF_PATHS = ("path", "spokes", "findings")
_KEYS = {"origin": "file"}


class Callers(StrEnum):
    """The callers that the policies and filters on a path let in."""

    ASKED = "asked"
    """Something decides who may call."""
    ANYBODY = "anybody"
    UNKNOWN = "unknown"


class AnsweringListener(Struct, frozen=True, rename=_KEYS):
    """A listener that a request comes in at: a section of its Gateway, and its line in the hub.

    The line is None for a gateway that a spoke has of its own.
    """

    listener: Ref
    protocol: str
    port: int | str
    origin: Origin | None = None


class PassedRule(Struct, frozen=True):
    """A listener or a rule that comes near, and the reason for which it does not take a request."""

    rule: Ref
    why: str


class AskedOfCaller(Struct, frozen=True, rename=_KEYS):
    """A rule in force in words; `label` is `who`, `limit`, or the kind of its policy."""

    label: str
    text: str
    origin: Origin


class AnsweringBackend(Struct, frozen=True):
    """A backend of a rule; `share` is its part of the requests if there are several.

    `failing` says why its requests are answered with 500.
    """

    backend: Ref
    port: int | str | None = None
    share: str = ""
    failing: str = ""

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the JSON members; those that do not apply are absent."""
        return {
            "backend": self.backend,
            "port": ABSENT if self.port is None else self.port,
            "share": self.share or ABSENT,
            "answeredWith500": self.failing or ABSENT,
        }


class AnsweringRule(Struct, frozen=True):
    """A rule that takes a request: who may call, what is in force, what it does, where it leads.

    `does` are the fields of the rule besides its matches and backends: filters, timeouts. `failing`
    says why every request is answered with 500. `asked` are the rules of `policies` in words, and
    `verdict` the answer to the caller of the request.
    """

    rule: Ref
    origin: Origin | None
    callers: Callers
    policies: tuple[EffectiveAnswer, ...]
    does: Mapping[str, Any]
    backends: tuple[AnsweringBackend, ...]
    failing: str = ""
    verdict: CallerVerdict = CallerVerdict()
    asked: tuple[AskedOfCaller, ...] = ()

    @property
    def json_members(self) -> dict[str, Any]:
        """Return the JSON members; of policies those of `effective` that are not of the path."""
        return {
            "rule": self.rule,
            "file": self.origin if self.origin is not None else ABSENT,
            "callers": self.callers,
            "isAdmitted": self.verdict.is_admitted,
            "becauseOf": self.verdict.why or ABSENT,
            "asked": self.asked,
            "policies": [
                {key: value for key, value in item.json_members.items() if key not in _OF_PATHS}
                for item in self.policies
            ],
            "does": self.does,
            "backends": self.backends,
            "answeredWith500": self.failing or ABSENT,
        }


class AnswerOfProxy(Struct, frozen=True):
    """The answer to a request at one proxy: a Gateway, or the GatewayClass of merged ones.

    `rules` are those that may take it, the likely one first. `refused` says why none does.
    """

    proxy: Ref
    listeners: tuple[AnsweringListener, ...]
    rules: tuple[AnsweringRule, ...]
    passed: tuple[PassedRule, ...]
    refused: str = ""


class RequestAnswer(Struct, frozen=True):
    """The answer to a request on spokes where it is the same.

    `refused` says that nothing listens; then there is no proxy.
    """

    proxies: tuple[AnswerOfProxy, ...]
    refused: str = ""
    spokes: tuple[str, ...] = ()
