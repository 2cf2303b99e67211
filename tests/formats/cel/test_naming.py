"""Property names as Kubernetes' documentation of CRD validation rules has them."""

from spokerender.formats import cel
from tests.support import cases, rows_of


@cases(*rows_of(__file__, "a_property_is_named_as_kubernetes_escapes_it"))
def test_a_property_is_named_as_kubernetes_escapes_it(name: str, spoken: str | None) -> None:
    assert cel.escaped(name) == spoken
