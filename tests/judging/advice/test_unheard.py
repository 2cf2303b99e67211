"""`when` beside `defaults` is accepted and does nothing."""

from __future__ import annotations

import pytest

from tests.judging.advice.spokes import CART, GATEWAY, advised, policy

WHEN = "when: [{predicate: 'true'}]"
BLOCK = "{limits: {a: {}}}"


@pytest.mark.parametrize("kind", ["RateLimitPolicy", "TokenRateLimitPolicy"])
@pytest.mark.parametrize("block", ["defaults", "overrides"])
def test_a_condition_beside_a_block(kind: str, block: str) -> None:
    written = policy(kind, "p", "Gateway/web", f"{WHEN}, {block}: {BLOCK}")
    expected = (
        f"warning SR2204 {kind} infra/p spec.when: spec.when has no effect: of a {kind} with "
        f"spec.{block} only what is in there counts (move it to spec.{block}.when)"
    )
    assert advised("SR2204", GATEWAY, CART, written) == [expected]


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        pytest.param("RateLimitPolicy", f"{WHEN}, limits: {{a: {{}}}}", id="a bare policy"),
        pytest.param("RateLimitPolicy", f"defaults: {BLOCK}", id="none is there"),
        pytest.param("RateLimitPolicy", f"when: [], defaults: {BLOCK}", id="it is empty"),
        pytest.param(
            "RateLimitPolicy", f"defaults: {{limits: {{a: {{}}}}, {WHEN}}}", id="in the block"
        ),
        # Its CRD refuses it: that is told where the CRD's rules are.
        pytest.param("AuthPolicy", f"{WHEN}, defaults: {{rules: {{}}}}", id="another kind"),
    ],
)
def test_a_condition_that_counts(kind: str, spec: str) -> None:
    assert advised("SR2204", GATEWAY, CART, policy(kind, "p", "Gateway/web", spec)) == []
