"""Functions that Kubernetes adds to CEL; examples of its documentation and of cel-go's."""

from spokerender.formats import cel
from tests.support import each, rows_of

TRUE = rows_of(__file__, "holds")


@each(*TRUE)
def test_the_library_of_kubernetes(source: str) -> None:
    assert cel.compile_rule(source).evaluate(cel.bind(None)) is True


@each(
    "'abc'.charAt(4) == ''",
    "'abc'.substring(2, 1) == ''",
    "sign(quantity('x')) == 0",
    "ip('x').family() == 4",
    "cidr('10.0.0.0').prefixLength() == 8",
    "url('x').getPort() == ''",
    "quantity('0.5').asInteger() == 0",
    "'%s%s'.format(['a']) == ''",
    "[].min() == 1",
)
def test_a_bad_argument_is_a_failure(source: str) -> None:
    assert isinstance(cel.compile_rule(source).evaluate(cel.bind(None)), cel.Failure)
