"""Authorino behind a real Envoy on loopback: what becomes of requests by Kuadrant's AuthConfigs.

Envoy takes the AuthConfig of a request from a header, by which the plugin of a Gateway (wasm-shim)
is replaced: its action sets are looked through beforehand, with a real CEL.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from msgspec import Struct

from spokerender.topology.matches import Request
from tests.live.authorino_hubs import ISSUER, KEY_HEADER, ROLES, SECRET, Sent
from tests.live.building import program
from tests.live.envoy_judge import NET
from tests.live.envoy_process import PORTS, backends, envoy
from tests.live.kuadrant_plugin import find_set, holds
from tests.support import cyaml
from tests.support.texts import text_of

Json = dict[str, Any]
SCOPE = "x-scope"
MOST = 200
"""So many AuthConfigs of a hub have a route in Envoy."""
_PROXY, _BACKEND = f"127.{NET}.249.1", f"127.{NET}.249.2"


class Reply(Struct, frozen=True):
    """An answer to a request; `is_let_in` is that of a backend."""

    status: int
    is_let_in: bool = False
    headers: Mapping[str, str] = {}
    body: str = ""


FAILED = Reply(500)
"""The plugin refuses its configuration, or can't evaluate it."""


class AuthorinoJudge:
    """Authorino, asked about one hub after the other."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._started = self._read()
        self._names: Mapping[str, int] = {}

    @property
    def port(self) -> str:
        """The port of loopback at which Envoy asks it."""
        return str(self._started["check"]).rpartition(":")[2]

    def _read(self) -> Json:
        assert self._process.stdout is not None
        answer: Json = json.loads(self._process.stdout.readline())
        return answer

    def take(self, objects: Sequence[Json]) -> dict[str, str]:
        """Have the AuthConfigs among objects in force; the errors of those that it refuses."""
        configs = [one for one in objects if one["kind"] == "AuthConfig"]
        assert len(configs) <= MOST
        self._names = {one["metadata"]["name"]: number for number, one in enumerate(configs)}
        placed = [
            {**one, "spec": {**one["spec"], "hosts": [str(number)]}}
            for number, one in enumerate(configs)
        ]
        text = json.dumps({"authConfigs": placed, "secrets": [SECRET]})
        assert self._process.stdin is not None
        self._process.stdin.write(text.replace(ISSUER, self._started["issuer"]) + "\n")
        self._process.stdin.flush()
        return self._read()

    def send(self, sets: list[Json], request: Request, caller: Sent) -> Reply:
        """What becomes of a caller's request to a Gateway whose plugin has these action sets."""
        headers = {**request.headers, **self._list_credentials(caller)}
        taken = find_set(sets, request)
        if isinstance(taken, str):
            return FAILED
        for action in taken["actions"] if taken else ():
            if all(holds(each, request) for each in action.get("predicates", ())):
                headers[SCOPE] = str(self._names[action["scope"]])
        connection = HTTPConnection(_PROXY, PORTS[0], timeout=10)
        connection.request(
            request.method, request.target, headers={**headers, "host": request.authority}
        )
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        named = {name.lower(): text for name, text in answer.getheaders()}
        return Reply(answer.status, body.startswith('{"backend"'), named, body)

    def _list_credentials(self, caller: Sent) -> dict[str, str]:
        """What a caller sends; its key in each place where one may be asked for."""
        if caller.key:
            return {KEY_HEADER: caller.key, "authorization": f"Bearer {caller.key}"}
        if not caller.role:
            return {}
        tokens = self._started["forged" if caller.is_forged else "tokens"]
        return {"authorization": f"Bearer {tokens[ROLES.index(caller.role)]}"}


@contextmanager
def authorino(folder: Path) -> Iterator[AuthorinoJudge]:
    """Have Authorino behind an Envoy whose files are in a folder."""
    claims = [json.dumps({"sub": "me", "role": role}) for role in ROLES]
    command = [program("authorino-judge"), *claims]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            judge = AuthorinoJudge(process)
            with backends([_BACKEND]), envoy(_write_bootstrap(judge.port), folder):
                yield judge
        finally:
            process.kill()


def _write_bootstrap(port: str) -> Json:
    """Envoy's configuration, with a route for each AuthConfig; it tells Authorino its host."""
    text = text_of(__file__, "authorino_envoy.yaml")
    for name, place in (("PROXY", _PROXY), ("BACKEND", _BACKEND), ("AUTHORINO", port)):
        text = text.replace(name, place)
    bootstrap: Json = cyaml.safe_load(text)
    (chain,) = bootstrap["static_resources"]["listeners"][0]["filter_chains"]
    (host,) = chain["filters"][0]["typed_config"]["route_config"]["virtual_hosts"]
    (unasked,) = host["routes"]
    host["routes"] = [*(_write_route(unasked, str(number)) for number in range(MOST)), unasked]
    return bootstrap


def _write_route(unasked: Json, scope: str) -> Json:
    """A route for the requests of an AuthConfig, like the one for those of none."""
    headers = [{"name": SCOPE, "string_match": {"exact": scope}}]
    ((name, own),) = unasked["typed_per_filter_config"].items()
    settings = {"context_extensions": {"host": scope}}
    config = {name: {"@type": own["@type"], "check_settings": settings}}
    match = {**unasked["match"], "headers": headers}
    return {**unasked, "match": match, "typed_per_filter_config": config}
