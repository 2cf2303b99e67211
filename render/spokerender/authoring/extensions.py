"""The SDK of extensions: processes that stay up and render metapolicies, in a few lines.

    from spokerender.authoring.extensions import Extension

    extension = Extension("fairshare", "1.0.0")

    @extension.transforms("FairSharePolicy.policies.example.com")
    def fair_share(task):
        task.make({"apiVersion": ..., "kind": ..., "metadata": {"name": task.name}})

    extension.serve()

A function must be pure: what it makes depends on its task and on the answers to its queries, and on
nothing else. spokerender shows what is logged, with `logging` (warnings and errors, if nothing else
is configured) or on standard error.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import grpc

from spokerender.authoring import TellSeverity, protocol

JSON = Any
_log = logging.getLogger(__name__)


class QueryError(Exception):
    """A query is wrong, or fails on this spoke."""


class _UnansweredQueryError(BaseException):
    """A query has no answer yet: the function stops here, and is called again with the answer."""


@dataclass(slots=True)
class Task:
    """One metapolicy on one spoke, and the objects around it.

    `items` are the spoke's objects of the kinds that the definition declares: change them, or
    remove them from the list. `spoke` has `name`, `labels` and `values`; it is empty unless the
    definition reads the kind Spoke of spokerender.io.
    """

    metapolicy: dict[str, JSON]
    spoke: dict[str, JSON]
    items: list[dict[str, JSON]]
    _answers: Mapping[str, Any] = field(repr=False)
    _findings: list[JSON] = field(default_factory=list, repr=False)

    @property
    def spec(self) -> dict[str, JSON]:
        """The metapolicy's spec."""
        return dict(self.metapolicy.get("spec") or {})

    @property
    def name(self) -> str:
        """The metapolicy's name."""
        return str(self.metapolicy["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """The metapolicy's namespace; empty if it has none."""
        return str(self.metapolicy["metadata"].get("namespace") or "")

    def query(self, expression: str) -> JSON:
        """Evaluate a CEL expression over the spoke's topology, as `spokerender query` does.

        The function stops at a query without an answer, and is called again from its beginning
        when spokerender has the answer.

        Raises `QueryError` if the expression is wrong, or fails.
        """
        if expression not in self._answers:
            raise _UnansweredQueryError(expression)
        answer = self._answers[expression]
        if answer.problem:
            raise QueryError(f"{expression}: {answer.problem}")
        return protocol.decoded(answer.value_json)

    def make(self, item: dict[str, JSON]) -> None:
        """Create an object; an object without a namespace gets the metapolicy's namespace."""
        self.items.append(item)

    def tell(
        self, message: str, *, severity: TellSeverity = "error", field: str = "", cure: str = ""
    ) -> None:
        """Report a finding about the metapolicy; an error refuses the build."""
        fields = {"message": message, "severity": severity, "field": field, "cure": cure}
        self._findings.append(protocol.build_message("Result", **fields))


Transform = Callable[[Task], None]


class Extension:
    """An extension program; `transforms` registers the functions that `serve` offers."""

    def __init__(self, name: str, version: str) -> None:
        """`name` and `version` are those in extension.yaml; `log` is a logger for the author."""
        self.log = logging.getLogger(name)
        self._name, self._version = name, version
        self._transforms: dict[str, Transform] = {}

    def transforms(self, kind: str) -> Callable[[Transform], Transform]:
        """Register a function for a kind of metapolicy, given as `Kind.group`."""

        def register(function: Transform) -> Transform:
            self._transforms[kind] = function
            return function

        return register

    def serve(self) -> None:
        """Serve until spokerender ends the process."""
        socket = os.environ.get(protocol.SOCKET)
        if socket is None:
            sys.exit(f"{self._name} is an extension of spokerender: only spokerender can start it")
        logging.basicConfig(format="%(levelname)s: %(message)s", stream=sys.stderr)
        methods = {
            "Handshake": self._handshake,
            "Register": self._register,
            "Transform": self._transform,
        }
        serve(methods, socket)

    def _handshake(self, _: Any) -> Any:  # noqa: ANN401  (messages)
        return protocol.build_message(
            "HandshakeReply", protocol=protocol.VERSION, name=self._name, version=self._version
        )

    def _register(self, _: Any) -> Any:  # noqa: ANN401  (messages)
        return protocol.build_message("Registration", kinds=map(_kind, self._transforms))

    def _transform(self, question: Any) -> Any:  # noqa: ANN401  (messages)
        task = Task(
            protocol.decoded(question.metapolicy_json),
            protocol.decoded(question.spoke_json),
            [protocol.decoded(item) for item in question.item_json],
            {answer.expression: answer for answer in question.answers},
        )
        group = task.metapolicy["apiVersion"].rpartition("/")[0]
        kind = ".".join(filter(None, (task.metapolicy["kind"], group)))
        try:
            self._transforms[kind](task)
        except _UnansweredQueryError as query:
            return protocol.build_message("Reply", queries=query.args)
        except Exception as error:  # noqa: BLE001  (its author's code)
            _log.exception("%s %s/%s", kind, task.namespace, task.name)
            return protocol.build_message("Reply", problem=f"{type(error).__name__}: {error}")
        items = [protocol.encoded(item) for item in task.items]
        return protocol.build_message("Reply", item_json=items, results=task._findings)  # noqa: SLF001  (this module's)


def _kind(name: str) -> Any:  # noqa: ANN401  (a message)
    kind, _, group = name.partition(".")
    return protocol.build_message("Kind", group=group, kind=kind)


_GRACE_SECONDS = 1.0

Method = Callable[[Any], Any]
"""Takes a request and returns the reply."""


def serve(methods: dict[str, Method], socket: str) -> None:
    """Serve methods of the protocol on a socket until SIGTERM, one call at a time."""
    server = grpc.server(
        ThreadPoolExecutor(max_workers=1),
        options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)],
    )
    handlers = {name: _handler(name, method) for name, method in methods.items()}
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler(protocol.SERVICE, handlers)]
    )
    server.add_insecure_port(f"unix://{os.path.abspath(socket)}")  # noqa: PTH100  (links stay: a path that is resolved may be too long)
    is_ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: is_ended.set())
    server.start()
    is_ended.wait()
    server.stop(_GRACE_SECONDS).wait()


def _handler(name: str, method: Method) -> Any:  # noqa: ANN401  (grpc has no types)
    request_type, _ = protocol.METHODS[name]
    return grpc.unary_unary_rpc_method_handler(
        lambda request, _: method(request),
        protocol.parser(request_type),
        lambda message: bytes(message.SerializeToString()),
    )
