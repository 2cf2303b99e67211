"""Property names as Kubernetes' documentation of CRD validation rules has them."""

from spokerender.formats import cel
from tests.support import cases


@cases(
    ("namespace", "__namespace__"),
    ("if", "__if__"),
    ("x-prop", "x__dash__prop"),
    ("redact__d", "redact__underscores__d"),
    ("foo.bar/baz", "foo__dot__bar__slash__baz"),
    ("string", "string"),
    ("int", "int"),
    ("Namespace", "Namespace"),
    ("1st", None),
    ("a b", None),
    ("$ref", None),
)
def test_a_property_is_named_as_kubernetes_escapes_it(name: str, spoken: str | None) -> None:
    assert cel.escaped(name) == spoken
