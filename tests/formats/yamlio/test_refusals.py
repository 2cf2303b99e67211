"""What Kubernetes would silently get wrong is refused, in words that help."""

import codecs

from msgspec.structs import replace

from spokerender.formats.yamlio import Problem, read
from tests.support import cases, rows_of

DEEP = "flatten the document"
KUSTOMIZE = "which kustomize can't carry to a cluster"


ALIASES = "aliases stand for more than 100,000 values, or for as much text"
REFUSALS = [
    *rows_of(__file__, "refusals"),
    (f"a: &a {'x' * 100_000}\nb: [{'*a, ' * 200}]\n", 2, ALIASES, "write the values out"),
    ("\n" + "- " * 100_000, 2, "nested deeper than 100 levels", DEEP),
    ("{" * 100_000, 1, "nested deeper than 100 levels", DEEP),
]


@cases(*REFUSALS, ids=[text[:20] for text, *_ in REFUSALS])
def test_refusal(text: str, line: int, message: str, cure: str) -> None:
    _, problems = read(text.encode(), "hub/a.yaml")
    assert tuple(replace(each, column=0) for each in problems) == (Problem(line, message, cure),)


@cases(
    ('{"a" 1}', Problem(1, "not JSON: Expecting ':' delimiter", "correct the syntax")),
    ('{\n"a": b}', Problem(2, "not JSON: Expecting value", "correct the syntax")),
    ('{"a": 1,\n"a": 2}',
     Problem(2, "key `a` is in this mapping twice, first in line 1", "keep one of the two")),
    ('{"a":\t1,\n"b": "\\ud83d\\ude00", "b": 2}',
     Problem(1, "key `b` is in one object twice", "keep one of the two")),
    ('{"a": 1e400}', Problem(1, "a number is out of range", "give a number below 1e308")),
    ('{"a": "\\ud83d"}',
     Problem(1, f"the string has the character U+D83D, {KUSTOMIZE}", "remove it")),
    ('{"a": NaN}', Problem(1, "not JSON: NaN is not JSON", "correct the syntax")),
    ('{"a": [{"<<": {"b": 1}}]}',
     Problem(1, "key `<<`: kustomize takes it for a merge key", "use another key")),
    (f'{{"a": [{{"{"b" * 1100}": 1}}]}}',
     Problem(1, f"key `{'b' * 40}`: kustomize can't carry a key longer than 1000 characters",
             "use another key")),
)  # fmt: skip
def test_refusal_of_json(text: str, problem: Problem) -> None:
    _, problems = read(text.encode(), "hub/a.json")
    assert tuple(replace(each, column=0) for each in problems) == (problem,)


@cases(
    (b"a: 1\nb: \xff\n", Problem(2, "byte 0xFF is not UTF-8", "save the file as UTF-8")),
    ("a: 1".encode("utf-16"), Problem(1, "the file is UTF-16", "save it as UTF-8")),
    (
        codecs.BOM_UTF16_BE + "a: 1".encode("utf-16-be"),
        Problem(1, "the file is UTF-16", "save it as UTF-8"),
    ),
)
def test_refusal_of_bytes(data: bytes, problem: Problem) -> None:
    assert read(data, "hub/a.yaml") == ((), (problem,))


def test_all_problems_are_told() -> None:
    text = "a: 1\na: 2\nb: !x .inf\nc: .inf\n---\nd: [\n---\ne: 1\ne: 2\n"
    documents, problems = read(text.encode(), "hub/a.yaml")
    assert documents == ()
    assert [(problem.line, problem.message) for problem in problems] == [
        (2, "key `a` is in this mapping twice, first in line 1"),
        (3, "a tag means nothing to Kubernetes"),
        (4, "`.inf` is not a number in JSON"),
        (7, "not YAML: did not find expected node content while parsing a flow node"),
        (9, "key `e` is in this mapping twice, first in line 8"),
    ]


def test_what_is_wrong_behind_an_alias_is_told_once() -> None:
    _, problems = read(b"a: &a {b: 1, b: 2}\nc: *a\nd: {<<: *a}\n", "hub/a.yaml")
    assert len(problems) == 1
