"""Things of one state that take the places of those of another."""

from hypothesis import given, settings, strategies as st

from spokerender.review.comparison.successors import ByHostname
from spokerender.topology.hostnames import intersects
from tests.support.profiles import examples

LABELS = st.lists(st.sampled_from(["a", "b", "com"]), min_size=1, max_size=3)
NAMES = LABELS.map(".".join)
HOSTNAMES = st.one_of(st.just("*"), NAMES, NAMES.map("*.{}".format))


@settings(max_examples=examples(200, house=60))
@given(st.lists(HOSTNAMES, max_size=8), HOSTNAMES)
def test_what_meets_a_hostname_is_what_has_a_name_in_common(
    served: list[str], hostname: str
) -> None:
    met = ByHostname((name, number) for number, name in enumerate(served)).meet(hostname)
    assert sorted(met) == [
        number
        for number, name in enumerate(served)
        if "*" in (name, hostname) or intersects(name, hostname)
    ]
