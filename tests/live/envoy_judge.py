"""A judge of `ask`: what a real Envoy does with requests to a hub, beside what we say of them."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.answered import AnswerOfProxy
from spokerender.explain.running import share_request_answers
from spokerender.judging.attachment.statuses import Truth
from spokerender.topology.matches import Request
from tests.live.envoy_callers import NOBODY, Caller, list_callers, list_headers
from tests.live.envoy_expected import (
    EQUAL,
    OF_PREFLIGHT,
    UNKNOWN,
    Scene,
    compare,
    compare_verdict,
    write_target,
)
from tests.live.envoy_gateway import find_unverified_listeners, judge_aged, write_project
from tests.live.envoy_probes import Asked, list_asked
from tests.live.envoy_process import Client, Probe, Seen, backends, envoy
from tests.live.envoy_static import place_address, place_proxy, write_bootstrap
from tests.live.hubs import find_ages
from tests.support import end_to_end as e2e

Json = dict[str, Any]
NET = 1 + os.getpid() % 250
"""The part of loopback that this process has for itself."""
_LAST_PRIVILEGED = 1023
"""Up to this port, Envoy Gateway's proxies listen on another one (`10000` more)."""


class Verdict(Struct, frozen=True):
    """How an answer of ours is to what was seen."""

    how: str
    asked: Asked
    caller: Caller
    answer: AnswerOfProxy | None
    seen: Seen

    @property
    def has_several(self) -> bool:
        """Tell whether we say that one of several things becomes of it."""
        answer = self.answer
        return answer is not None and len(answer.rules) + bool(answer.refused) > 1

    def __str__(self) -> str:
        rules = [str(one.rule) for one in self.answer.rules] if self.answer is not None else []
        refused = self.answer.refused if self.answer is not None else "no rule at this proxy"
        return "\n".join(map(str, (self.how, self.asked, self.caller, rules, refused, self.seen)))


class AskedHub:
    """A hub whose objects' ages are known, to be asked about requests."""

    def __init__(self, objects: list[Json]) -> None:
        self._rendered = e2e.rendered(write_project(objects))
        self._fleet = judge_aged(self._rendered, find_ages(objects))
        judged = self._fleet.judged["s1"]
        self.unverified = find_unverified_listeners(judged) | {
            str(ref)
            for ref, attachment in judged.judgement.attachments.items()
            if attachment.accepted.status is Truth.UNKNOWN
        }

    def answer(self, asked: Asked, caller: Caller) -> AnswerOfProxy | None:
        """What we say of a request at its proxy; nothing if there is a rule at another one."""
        client = caller.source
        request = replace(asked.request, credential=caller.credential, client=client)
        return self.answer_at(asked.door.proxy, request)

    def answer_at(self, proxy: str, request: Request) -> AnswerOfProxy | None:
        """What we say of a request at a proxy; nothing if there is a rule at another one."""
        (shared,), _ = share_request_answers(self._rendered, self._fleet, request)
        proxies = next(iter(shared.each)).proxies
        return next((one for one in proxies if _name(one) == proxy), None)


def _name(answer: AnswerOfProxy) -> str:
    return "/".join(filter(None, (answer.proxy.namespace, answer.proxy.name)))


def judge_hub(
    objects: list[Json], xds: Mapping[str, Json], folder: Path, seed: str
) -> Iterator[Verdict]:
    """Ask a hub's proxies, and us, and compare; `folder` has a certificate.

    Raises `EnvoyError` where Envoy does not take what it is given.
    """
    hub = AskedHub(objects)
    names, scene = sorted(xds), Scene(objects, NET, hub.unverified)
    addresses = sorted({one.partition(":")[0] for one in scene.addresses.values()})
    bootstrap = write_bootstrap(xds, NET, str(folder), names)
    with backends(addresses), envoy(bootstrap, folder):
        client = Client(folder)
        for asked in list_asked(Random(seed), objects):
            answer = hub.answer(asked, NOBODY)
            for caller in list_callers(answer.rules[0]) if answer and answer.rules else (NOBODY,):
                own = answer if caller is NOBODY else hub.answer(asked, caller)
                seen = client.send(make_probe(asked, own, caller, names))
                how = compare(scene, own, asked.request, caller, seen)
                if how not in (EQUAL, UNKNOWN):
                    rules = own.rules if own is not None else ()
                    reasons = [OF_PREFLIGHT] * ("/cors-preflight/" in seen.route)
                    reasons += [scene.explain(one.rule) for one in rules]
                    how = next(filter(None, reasons), how)
                yield Verdict(how, asked, caller, own, seen)
                is_sure = own is not None and len(own.rules) == 1 and not own.refused
                if own is not None and is_sure and how == EQUAL:
                    how = compare_verdict(own.rules[0], caller, seen)
                    if how:
                        yield Verdict(how, asked, caller, own, seen)


def make_probe(
    asked: Asked, answer: AnswerOfProxy | None, caller: Caller, names: list[str]
) -> Probe:
    """A request of a caller as it is sent; `answer` is ours, and `names` are the proxies there."""
    door, request = asked.door, asked.request
    number = names.index(door.proxy) if door.proxy in names else len(names)  # nobody is there
    rule = answer.rules[0] if answer is not None and answer.rules else None
    own = list_headers(rule, caller) if rule is not None else ()
    return Probe(
        door.scheme,
        place_proxy(number, NET),
        door.port if door.port > _LAST_PRIVILEGED else door.port + 10000,
        request.host,
        request.method or "GET",
        write_target(request, rule, caller),
        (*request.headers.items(), *own),
        place_address(caller.source, NET),
        caller.has_certificate,
    )
