"""A review counts its consequences by severity, and a suppressed one is an info."""

from msgspec.structs import replace

from spokerender.findings.codes.attachment import DANGLING
from spokerender.findings.results import INFO, Severity
from spokerender.findings.suppressions import Accepted, suppress
from spokerender.model import Ref
from spokerender.review.values import Consequence, Review, ReviewedState, Topic

POLICY = Ref("kuadrant.io", "AuthPolicy", "shop", "login")


def test_counts_are_those_after_suppressions() -> None:
    result = DANGLING.result("nobody asks", resource=POLICY, spokes=("eu-1",))
    accepted = Accepted(code=DANGLING.code, reason="meant", resource="AuthPolicy/shop/login")
    consequence = Consequence(result, Topic.ACCESS)
    (suppressed,) = suppress([result], [accepted])
    side = ReviewedState("HEAD", 1)
    review = Review(before=side, after=side, consequences=(consequence,))
    assert review.counts == {severity: int(severity is DANGLING.severity) for severity in Severity}
    accepted_review = replace(review, consequences=(replace(consequence, result=suppressed),))
    assert accepted_review.counts[INFO] == 1
    assert accepted_review.consequences[0].severity is INFO
