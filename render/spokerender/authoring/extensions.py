"""For authors of extensions: a process that stays up and renders metapolicies, in a few lines.

    from spokerender.authoring.extensions import Extension

    extension = Extension("fairshare", "1.0.0")

    @extension.transforms("FairSharePolicy.policies.example.com")
    def fair_share(task):
        task.make({"apiVersion": ..., "kind": ..., "metadata": {"name": task.name}})

    extension.serve()

A function is pure: what it makes depends on what the task shows and on what its queries come to.
What is logged, with `logging` or on standard error, is shown by spokerender.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from spokerender.authoring import protocol
from spokerender.authoring.serving import serve

JSON = Any
Severity = Literal["error", "warning", "info"]
_log = logging.getLogger(__name__)


class QueryError(Exception):
    """An expression is wrong, or comes to nothing on this spoke."""


class _AskFirst(BaseException):
    """There is something to ask before a function can go on."""


@dataclass(slots=True)
class Task:
    """One metapolicy on one spoke: what there is, and what shall be.

    `spoke` has `name`, `labels` and `values`; `items` are the spoke's objects of the kinds that
    the definition declares: change them, or take them out.
    """

    metapolicy: dict[str, JSON]
    spoke: dict[str, JSON]
    items: list[dict[str, JSON]]
    _answers: Mapping[str, Any] = field(repr=False)
    _told: list[JSON] = field(default_factory=list, repr=False)

    @property
    def spec(self) -> dict[str, JSON]:
        """What the metapolicy says."""
        return dict(self.metapolicy.get("spec") or {})

    @property
    def name(self) -> str:
        """The metapolicy's name."""
        return str(self.metapolicy["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """The metapolicy's namespace; empty where it has none."""
        return str(self.metapolicy["metadata"].get("namespace") or "")

    def query(self, expression: str) -> JSON:
        """What a CEL expression over the spoke's topology comes to, as `spokerender query` has it.

        Where that is not known yet, the function ends here, and begins anew when it is.

        Raises:
            QueryError: it is wrong, or fails.

        """
        if expression not in self._answers:
            raise _AskFirst(expression)
        answer = self._answers[expression]
        if answer.problem:
            message = f"{expression}: {answer.problem}"
            raise QueryError(message)
        return protocol.decoded(answer.value_json)

    def make(self, item: dict[str, JSON]) -> None:
        """Make an object; without a namespace it is in the metapolicy's."""
        self.items.append(item)

    def tell(
        self, message: str, *, severity: Severity = "error", field: str = "", cure: str = ""
    ) -> None:
        """Tell something about the metapolicy; an error refuses the build."""
        fields = {"message": message, "severity": severity, "field": field, "cure": cure}
        self._told.append(protocol.message("Result", **fields))


@dataclass(frozen=True, slots=True)
class Event:
    """What a subscribed expression comes to by now, and for which metapolicy; None for nothing."""

    kind: str
    namespace: str
    name: str
    spoke: str
    expression: str
    value: JSON


Transform = Callable[[Task], None]
Hear = Callable[[Event], None]


class Extension:
    """An extension: who it is, what it transforms, and of what it wants to hear."""

    def __init__(self, name: str, version: str) -> None:
        """Both as extension.yaml has them; `log` is for its author."""
        self.log = logging.getLogger(name)
        self._name, self._version = name, version
        self._transforms: dict[str, tuple[Transform, tuple[str, ...], tuple[str, ...]]] = {}
        self._hears: dict[tuple[str, str], Hear] = {}

    def transforms(
        self, kind: str, *, reads: Iterable[str] = (), writes: Iterable[str] = ()
    ) -> Callable[[Transform], Transform]:
        """Let a function render a kind of metapolicy, each as `Kind.group`.

        What it reads and writes need only be said to be held against the definition.
        """

        def keep(function: Transform) -> Transform:
            self._transforms[kind] = function, tuple(reads), tuple(writes)
            return function

        return keep

    def subscribes(self, kind: str, expression: str) -> Callable[[Hear], Hear]:
        """Let a function hear when an expression, for a metapolicy of a kind, has a new value.

        That happens under `spokerender build --watch`, before the build that follows asks anything.
        """

        def keep(function: Hear) -> Hear:
            self._hears[kind, expression] = function
            return function

        return keep

    def serve(self) -> None:
        """Serve until spokerender says that it is enough."""
        socket = os.environ.get(protocol.SOCKET)
        if socket is None:
            sys.exit(f"{self._name} is an extension of spokerender, which starts it")
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_Json())
        logging.basicConfig(level=logging.INFO, handlers=[handler])
        served = _Served(self._name, self._version, self._transforms, self._hears)
        methods = {
            "Handshake": served.handshake,
            "Register": served.register,
            "Transform": served.transform,
            "Notify": served.notify,
        }
        serve(methods, socket)


@dataclass(frozen=True, slots=True)
class _Served:
    """An extension in messages."""

    name: str
    version: str
    functions: dict[str, tuple[Transform, tuple[str, ...], tuple[str, ...]]]
    hears: dict[tuple[str, str], Hear]

    def handshake(self, _: Any) -> Any:  # noqa: ANN401  (messages)
        return protocol.message(
            "HandshakeReply", protocol=protocol.VERSION, name=self.name, version=self.version
        )

    def register(self, _: Any) -> Any:  # noqa: ANN401  (messages)
        return protocol.message(
            "Registration",
            transformers=[
                protocol.message(
                    "Transformer",
                    kind=_kind(kind),
                    reads=map(_kind, reads),
                    writes=map(_kind, writes),
                )
                for kind, (_, reads, writes) in self.functions.items()
            ],
            subscriptions=[
                protocol.message("Subscription", kind=_kind(kind), expression=expression)
                for kind, expression in self.hears
            ],
        )

    def transform(self, question: Any) -> Any:  # noqa: ANN401  (messages)
        task = Task(
            protocol.decoded(question.metapolicy_json),
            protocol.decoded(question.spoke_json),
            [protocol.decoded(item) for item in question.item_json],
            {answer.expression: answer for answer in question.answers},
        )
        group = task.metapolicy["apiVersion"].rpartition("/")[0]
        kind = ".".join(filter(None, (task.metapolicy["kind"], group)))
        try:
            self.functions[kind][0](task)
        except _AskFirst as asked:
            return protocol.message("Reply", queries=asked.args)
        except Exception as error:  # noqa: BLE001  (its author's own)
            _log.exception("%s %s/%s", kind, task.namespace, task.name)
            return protocol.message("Reply", problem=f"{type(error).__name__}: {error}")
        items = [protocol.encoded(item) for item in task.items]
        return protocol.message("Reply", item_json=items, results=task._told)  # noqa: SLF001  (ours)

    def notify(self, event: Any) -> Any:  # noqa: ANN401  (messages)
        kind = ".".join(filter(None, (event.kind.kind, event.kind.group)))
        hear = self.hears.get((kind, event.expression))
        if hear is not None:
            value = protocol.decoded(event.value_json) if event.value_json else None
            try:
                hear(Event(kind, event.namespace, event.name, event.spoke, event.expression, value))
            except Exception:  # noqa: BLE001  (its author's own)
                _log.exception("an event of %s", event.expression)
        return protocol.message("Noted")


def _kind(name: str) -> Any:  # noqa: ANN401  (a message)
    kind, _, group = name.partition(".")
    return protocol.message("Kind", group=group, kind=kind)


class _Json(logging.Formatter):
    """A record as spokerender reads it."""

    def format(self, record: logging.LogRecord) -> str:
        """On one line."""
        text = record.getMessage()
        if record.exc_info:
            text = f"{text}: {self.formatException(record.exc_info)}"
        return json.dumps({"level": record.levelname.lower(), "msg": text})
