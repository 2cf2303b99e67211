"""Who is let in by what is in force: by the kind of a credential, and by an address."""

from msgspec.structs import replace

from spokerender.formats.yamlio.emit import flow
from spokerender.judging.effective.callers import judge_caller
from spokerender.judging.effective.compute import compute_effective_policies
from spokerender.judging.effective.outcomes import AttachedPolicy
from spokerender.topology.matches import Request
from tests.judging.effective.policies import CATALOGUE, OF_NO_CLASS, TARGETS, ref
from tests.support import cases, rows_of
from tests.support.stages import graph, values

TLS = graph(OF_NO_CLASS.replace("protocol: HTTP", "protocol: HTTPS"))


@cases(*rows_of(__file__, "who_is_let_in"))
def test_who_is_let_in(
    kind: tuple[str, str], spec: str, credential: str, client: str, expected: str
) -> None:
    request = Request("https", "a.example", 443, "GET", credential=credential, client=client)
    assert judge_by(kind, spec, request) == expected


@cases(*rows_of(__file__, "calls_of_grpc_are_answered_by_a_status_of_theirs"))
def test_calls_of_grpc_are_answered_by_a_status_of_theirs(
    kind: tuple[str, str], spec: str, expected: str
) -> None:
    headers = {"content-type": "application/grpc"}
    request = Request(
        "https", "a.example", 443, "POST", "/shop/Pay", headers=headers, credential="anonymous"
    )
    assert judge_by(kind, spec, request) == expected


ASKED = Request("https", "a.example", 8443, "GET", "/pay", {"q": "1"}, {"x-a": "1"}, "anonymous")


@cases(*rows_of(__file__, "predicates_that_a_request_decides"))
def test_predicates_that_a_request_decides(predicate: str, expected: str) -> None:
    spec = {
        "rules": {
            "authorization": {"a": {"patternMatching": {"patterns": [{"predicate": predicate}]}}}
        }
    }
    assert judge_by(("kuadrant.io", "AuthPolicy"), flow(spec), ASKED) == expected


@cases(*rows_of(__file__, "conditions_that_a_request_decides"))
def test_conditions_that_a_request_decides(spec: str, expected: str) -> None:
    assert judge_by(("kuadrant.io", "AuthPolicy"), spec, ASKED) == expected
    is_sample = replace(ASKED, method="")
    assert judge_by(("kuadrant.io", "AuthPolicy"), spec, is_sample).startswith("not known")


def judge_by(kind: tuple[str, str], spec: str, request: Request) -> str:
    """The verdict of a policy on a request, in words."""
    row = CATALOGUE.kind(*kind)
    policy = AttachedPolicy(ref(row, "own"), row, values(spec)[0], (TARGETS["gw"],))
    outcomes = [item.likely for item in compute_effective_policies(TLS, [policy])]
    verdict = judge_caller(row, outcomes[:1], request, lambda outcome: outcome)
    words = {True: "let in", False: verdict.why, None: f"not known: {verdict.why}"}
    return words[verdict.is_admitted]
