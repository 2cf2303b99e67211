"""What Kubernetes would silently get wrong is refused, in words that help."""

import codecs

from msgspec.structs import replace

from spokerender.formats.yamlio import Problem, read
from tests.support import cases

DEEP = "flatten the document"
KUSTOMIZE = "which kustomize can't carry to a cluster"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcde", "bcdef", strict=True)
)

INDENTED = "correct the indentation: the keys of a mapping, or items of a list, begin in one column"
UNKNOWN_TAG = Problem(
    1,
    "a tag means nothing to Kubernetes",
    "drop the tag; if it is a text that begins with `!`, quote it",
)

REFUSALS: list[tuple[str, Problem]] = [
    ("a:\n  b: 1\n    c: 2\n",
     Problem(3, "not YAML: mapping values are not allowed in this context",
             f"{INDENTED}; a text with `: ` in it needs quotes")),
    (
        "a:\n  - b: 1\n   - c: 2\n",
        Problem(
            3,
            "not YAML: did not find expected '-' indicator while parsing a block collection that "
            "begins in line 2",
            INDENTED,
        ),
    ),
    ("a:\n    b: 1\n  c: 2\n",
     Problem(3, "not YAML: did not find expected key while parsing a block mapping", INDENTED)),
    (
        "a: 1\nb: [1, 2\n",
        Problem(
            3,
            "not YAML: did not find expected ',' or ']' while parsing a flow sequence that begins "
            "in line 2",
            "a bracket is not closed, or a comma is missing",
        ),
    ),
    (
        "a:\n\tb: 1\n",
        Problem(
            2,
            "not YAML: found character that cannot start any token"
            " while scanning for the next token",
            "indent with spaces, not with tabs; quote a text that begins so",
        ),
    ),
    (
        "a:\n- b: 1\n\t- c: 2\n",
        Problem(
            3,
            "not YAML: found a tab character that violates indentation"
            " while scanning a plain scalar that begins in line 2",
            "indent with spaces, not with tabs",
        ),
    ),
    (
        "a: *.example.com\n",
        Problem(
            1,
            "not YAML: did not find expected alphabetic or numeric character"
            " while scanning an alias",
            "correct the syntax",
        ),
    ),
    ("kind: A\nmetadata:\n  name: a\n  name: b\n",
     Problem(4, "key `name` is in this mapping twice, first in line 3", "keep one of the two")),
    ("1: a\n'1': b\n",
     Problem(2, "key `1` is in this mapping twice, first in line 1", "keep one of the two")),
    ("~: a\n", Problem(1, "key `~` has no JSON form", "quote it")),
    ("a: 1\n?\n: b\n", Problem(2, "key `null` has no JSON form", "quote it")),
    ("9223372036854775808: a\n",
     Problem(1, "key `9223372036854775808` has no JSON form", "quote it")),
    ("[a]: b\n", Problem(1, "a key is a list or a mapping", "make it a string")),
    ('"<<": b\n', Problem(1, "key `<<`: kustomize takes it for a merge key", "use another key")),
    (f"{'k' * 1000}: b\n",
     Problem(1, f"key `{'k' * 40}`: kustomize can't carry a key longer than 1000 characters",
             "use another key")),
    ("a: !foo b\n", UNKNOWN_TAG),
    ("a: !!foo b\n", UNKNOWN_TAG),
    ("a: !<foo> b\n", UNKNOWN_TAG),
    ("a: !!binary aGk=\n",
     Problem(1, "tag `!!binary` means nothing to Kubernetes", "drop the tag")),
    ("a: !!set {b, c}\n", Problem(1, "tag `!!set` means nothing to Kubernetes", "drop the tag")),
    ("a: !!str {b: c}\n", Problem(1, "tag `!!str` means nothing to Kubernetes", "drop the tag")),
    ("a: !!int 1.5\n", Problem(1, "the value is not a !!int", "correct the value or drop the tag")),
    ("a: !!bool 1\n", Problem(1, "the value is not a !!bool", "correct the value or drop the tag")),
    ("a: !!null x\n", Problem(1, "the value is not a !!null", "correct the value or drop the tag")),
    ("a: !!float yes\n",
     Problem(1, "the value is not a !!float", "correct the value or drop the tag")),
    ("a: .inf\n", Problem(1, "`.inf` is not a number in JSON", "quote it, or give a number")),
    ("a: -.Inf\n", Problem(1, "`-.Inf` is not a number in JSON", "quote it, or give a number")),
    ("a: .NaN\n", Problem(1, "`.NaN` is not a number in JSON", "quote it, or give a number")),
    ("a: 1\n<<: b\n",
     Problem(2, "merge key `<<` has no mapping to merge",
             "give it a mapping, an alias of one, or a list of these")),
    ("x: &x [{a: 1}]\n<<: *x\n",
     Problem(2, "merge key `<<` has no mapping to merge",
             "give it a mapping, an alias of one, or a list of these")),
    ("a: *b\n",
     Problem(1, "an alias has no anchor",
             "write the anchor before it; if it is a text that begins with `*`, quote it")),
    ("a: &a [*a]\n", Problem(1, "alias `*a` is inside its own anchor", "write the value out")),
    (BOMB,
     Problem(5, "aliases stand for more than 100,000 values, or for as much text",
             "write the values out")),
    (f"a: &a {'x' * 100_000}\nb: [{'*a, ' * 200}]\n",
     Problem(2, "aliases stand for more than 100,000 values, or for as much text",
             "write the values out")),
    ("a: " + "[" * 100, Problem(1, "nested deeper than 100 levels", DEEP)),
    ("\n" + "- " * 100_000, Problem(2, "nested deeper than 100 levels", DEEP)),
    ("{" * 100_000, Problem(1, "nested deeper than 100 levels", DEEP)),
    ('{"a":' * 101, Problem(1, "nested deeper than 100 levels", DEEP)),
    (f"a: &a {'[' * 60}{']' * 60}\nb: {'[' * 60}*a{']' * 60}\n",
     Problem(2, "nested deeper than 100 levels", DEEP)),
    ("a: 1\nb: '\x07'\n",
     Problem(2, "the character U+0007 is not allowed in a YAML file", "remove it")),
    ("a: 1\n---\n\nb:\n\ufeff  x\n",
     Problem(5, "the character U+FEFF is not allowed in a YAML file", "remove it")),
    ('a: "\\x7f"\n', Problem(1, f"the string has the character U+007F, {KUSTOMIZE}", "remove it")),
    ('a:\n- "\\N"\n', Problem(2, f"the string has the character U+0085, {KUSTOMIZE}", "remove it")),
    ('"\\uFFFE": b\n',
     Problem(1, f"the string has the character U+FFFE, {KUSTOMIZE}", "remove it")),
    ('a: "b\\n\\L"\n',
     Problem(1, f"the string has the character U+2028, {KUSTOMIZE}", "remove it")),
    ('a: "b\\/c"\n', Problem(1, "kubectl knows no escape `\\/` in YAML", "write `/`")),
    ("a: 1\n--- b\n",
     Problem(2, "text follows `---` on its line",
             "put it on the next line, or in quotes if it is not a separator")),
    ("a: 1\n----\n",
     Problem(2, "text follows `---` on its line",
             "put it on the next line, or in quotes if it is not a separator")),
    ("a: 1\n...\n# a remark\nb: 1\n",
     Problem(4, "kubectl drops what follows `...`", "put `---` on a line of its own before it")),
    ("# a\n%YAML 1.2\n---\na: 1\n",
     Problem(2, "kubectl reads no `%` directives", "delete the line")),
    ("a: 'b'\u2028--- c\n",
     Problem(1, "a second document begins without a `---` line before it",
             "put `---` on a line of its own between documents")),
]  # fmt: skip


@cases(*REFUSALS, ids=[text[:20] for text, _ in REFUSALS])
def test_refusal(text: str, problem: Problem) -> None:
    _, problems = read(text.encode(), "hub/a.yaml")
    assert tuple(replace(each, column=0) for each in problems) == (problem,)


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
