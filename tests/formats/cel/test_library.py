"""Functions that Kubernetes adds to CEL; examples of its documentation and of cel-go's."""

from spokerender.formats import cel
from tests.support import each, rows_of

TRUE = rows_of(__file__, "holds")


@each(*TRUE)
def test_the_library_of_kubernetes(source: str) -> None:
    assert cel.compile_rule(source).evaluate(cel.bind(None)) is True


@each(*rows_of(__file__, "a_bad_argument_is_a_failure"))
def test_a_bad_argument_is_a_failure(source: str) -> None:
    assert isinstance(cel.compile_rule(source).evaluate(cel.bind(None)), cel.Failure)
