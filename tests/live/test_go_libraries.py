"""Names, mutations and paths, as the libraries that kcp's sync agent is made of answer.

The agent's own module can't be had through the Go module proxy. What it does with templates,
paths, patterns and expressions is a few calls of text/template with sprig, html/template, gjson,
sjson, regexp and cel-go, so generated ones are put to these libraries. What we refuse on purpose
is counted and printed; an answer that is another one fails, with the smallest input.
"""

import html
import json
import re
import subprocess
from collections import Counter
from random import Random
from typing import Any

import pytest

from spokerender.formats import cel, regexes
from spokerender.wings.publishing import jsonpaths
from spokerender.wings.publishing.contexts import (
    LogicalCluster,
    TemplateEngine,
    make_mutation_context,
    make_name_context,
)
from spokerender.wings.publishing.errors import PublishingError
from spokerender.wings.publishing.gotemplates import functions
from spokerender.wings.publishing.jsonpaths import JsonPathError
from tests.live.agreement import Report
from tests.live.asking import HUBS, SEED, smallest
from tests.live.building import program
from tests.support.cases import each

pytestmark = pytest.mark.live

Json = dict[str, Any]
QUESTIONS = 100 * HUBS
SHOWN = 10
CLUSTER = LogicalCluster("c1", "root:c1")
FIELD = ("spec", "naming", "name")
UNCOMPARED = {"b64dec": "of texts with too many = it decodes what is before them"}
FUNCTIONS = [
    function
    for table in (functions.LOGIC_FUNCTIONS, functions.TEXT_FUNCTIONS, functions.LIST_FUNCTIONS)
    for function in table
    if function.name not in UNCOMPARED
]
REFUSED_BY_US = {
    "printf gets [0-9]+ more values": "Go prints %!(EXTRA",
    "stands for several places": "sjson writes one text into all of them, or nothing",
}
"""Our errors where the libraries answer, and their answers, on purpose."""
REFUSED_BY_THEM = {
    "got interface {}": "as of a field of null",
    "expected int; got int64": "our whole numbers are of one type",
    "nil pointer evaluating": "a field of null is missing, as one of an absent field is",
}
"""Their errors where we answer."""
TEXTS = ("", "a", "ns-1", "Web Shop", "x_y.z", "HTTPServer", "ü-é", "a,b,,c", " t ", "12", "0x1f")
KEYS = ("a", "b", "n", "name", "c.d", "0")


def written(value: Any) -> str:
    """JSON as Go writes it, which is what paths are read on: sorted keys, and no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def asked(questions: list[Json]) -> list[Json]:
    """The answers of the libraries."""
    done = subprocess.run(
        [program("gotext")], input=written(questions), capture_output=True, text=True, check=True
    )
    answers: list[Json] = json.loads(done.stdout)
    return answers


def value(random: Random, depth: int = 2) -> Any:
    """Plain data; numbers are small, since large ones are exact with us alone."""
    sort = random.randrange(9 if depth else 6)
    if sort < 3:
        return random.choice(TEXTS)
    if sort < 6:
        return random.choice((0, 1, 7, -3, 1.5, True, False, None))
    if sort < 7:
        return [value(random, depth - 1) for _ in range(random.randrange(4))]
    return {random.choice(KEYS): value(random, depth - 1) for _ in range(random.randrange(4))}


def document(random: Random) -> Json:
    """An object: its spec is anything."""
    return {
        "metadata": {"name": random.choice(TEXTS[1:]), "namespace": "ns", "labels": {"a": "b"}},
        "spec": {key: value(random) for key in random.sample(KEYS, 4)},
    }


def place(random: Random) -> str:
    keys = ("name", "namespace", "labels", "labels.a", "gone")
    if random.random() < 0.4:
        return f".Object.metadata.{random.choice(keys)}"
    return f".Object.spec.{random.choice(('a', 'b', 'n', 'name', 'gone', 'a.b'))}"


def constant(random: Random, sort: str) -> str:
    if sort == "whole":
        return str(random.choice((0, 1, 2, 3, 7, -1, -4, 40)))
    if sort == "list":
        return random.choice(('(list 1 "a" 1)', "(list)", '(splitList "," "a,b,,a")'))
    return random.choice((*map(json.dumps, TEXTS), "1", "true", "1.5", ".ClusterPath"))


def call(random: Random, piped: bool = True) -> str:
    function = random.choice(FUNCTIONS)
    parameters = list(function.parameters)
    if function.is_variadic:
        parameters += parameters[-1:] * random.randrange(-1, 3)
    elif function.optional and random.random() < 0.5:
        parameters = parameters[: -function.optional]
    sorts = parameters[:-1] if piped else parameters
    given = [constant(random, s) if random.random() < 0.8 else place(random) for s in sorts]
    return " ".join((function.name, *given))


def pipeline(random: Random) -> str:
    first = place(random) if random.random() < 0.6 else call(random, piped=False)
    return " | ".join((first, *(call(random) for _ in range(random.randrange(3)))))


FORMS = (
    "{{ INNER }}",
    "x-{{- INNER -}} -y",
    "{{ if INNER }}yes{{ else if OTHER }}b{{ else }}no{{ end }}",
    "{{ with INNER }}[{{ . }}]{{ end }}",
)


def template(random: Random) -> str:
    """A pipeline, or one with a condition around it."""
    form = random.choice(FORMS).replace("OTHER", place(random))
    return form.replace("INNER", pipeline(random))


def path(random: Random) -> str:
    # `-1` is not asked about: on null sjson makes a mapping of it, and a list elsewhere.
    parts = ("a", "b", "n", "name", r"c\.d", "0", "1", "gone", "#", "#.a", "#(a==1)")
    return ".".join(("spec", *(random.choice(parts) for _ in range(random.randrange(1, 4)))))


def pattern(random: Random) -> str:
    parts = (
        "a",
        ".",
        "(.+)",
        "(a|b)",
        "x*",
        "^",
        "$",
        "[a-z]+",
        r"\d",
        "(?i)A",
        "(?P<n>.)",
        r"\b",
        "é",
        "-",
    )
    return "".join(random.choice(parts) for _ in range(random.randrange(1, 4)))


def expression(random: Random) -> str:
    one = random.choice(
        ("value", "self.spec.a", "self.metadata.name", "self.spec.b", "1", "'x'", "other")
    )
    return random.choice(
        (
            one,
            f"{one} + {random.choice(('1', '1.0', repr('y'), one))}",
            f"has(self.spec.{random.choice(('a', 'gone'))}) ? {one} : 'none'",
            f"string({one})",
            f"{one} == {random.choice(('1', 'null', 'true', repr('a')))}",
            f"size({one})",
            f"[{one}, 2]",
            "self.spec.map(k, k + '-').size()",
            f"type({one}) == string ? {one} : 'no'",
        )
    )


def question(random: Random, ask: str) -> Json:
    asked: Json = {"Ask": ask, "Document": document(random)}
    if ask == "name":
        asked["Template"] = template(random)
    elif ask == "mutation":
        inner = random.choice(
            (".Value", ".Value.String", ".Value.Int", ".Value.Exists", ".Value.Raw")
        )
        asked["Template"] = random.choice(
            (f"{{{{ {inner} }}}}", template(random).replace(".Object", ".LocalObject"))
        )
        asked["Path"] = path(random)
    elif ask == "replace":
        asked |= {"Pattern": pattern(random), "Text": random.choice(TEXTS) + random.choice(TEXTS)}
        asked["Replacement"] = random.choice(
            ("x", "$1", "${1}y", "$n", "$$", r"\1", "$1x", "", "$")
        )
    elif ask == "cel":
        asked |= {"Path": path(random), "Expression": expression(random)}
    else:
        asked |= {"Path": path(random), "Value": random.choice(TEXTS)}
    return asked


def ours(asked: Json) -> Json:
    """Our answer: a text or a value, or the error."""
    try:
        return _ours(asked)
    except (PublishingError, JsonPathError, regexes.PatternError, cel.UnevaluableError) as error:
        return {"error": str(error)}


def _ours(asked: Json) -> Json:  # noqa: PLR0911  (one for each question)
    document, path = asked["Document"], asked.get("Path", "")
    match asked["Ask"]:
        case "name":
            context = make_name_context(document, CLUSTER)
            engine = TemplateEngine()
            return {
                "text": engine.render(asked["Template"], context, FIELD, missing="<no value>").text
            }
        case "mutation":
            context = make_mutation_context(jsonpaths.get_path(document, path), document, None)
            engine = TemplateEngine(is_mutating=True)
            return {"text": engine.render(asked["Template"], context, FIELD, missing="").text}
        case "get":
            result = jsonpaths.get_path(document, path)
            text = "" if result is None else jsonpaths.format_result(result.value)
            return {"text": text, "value": result is not None}
        case "set":
            return {"value": jsonpaths.put_path(document, path, asked["Value"])}
        case "delete":
            return {"value": jsonpaths.delete_path(document, path)}
        case "replace":
            compiled = regexes.compile_pattern(asked["Pattern"])
            return {"text": compiled.replace(asked["Text"], asked["Replacement"])}
    result = jsonpaths.get_path(document, path)
    variables = {"value": result and result.value, "self": document, "other": None}
    return {"value": cel.computed(asked["Expression"], variables, ("self", "other"))}


def outcome(question: Json, theirs: Json) -> str:
    """How our answer is to theirs: equal, refused by both, by us or by them, or different."""
    mine, error = ours(question), theirs.get("error", "")
    if "error" in mine and error:
        return "refused by both"
    if "error" in mine:
        return "refused by us" if is_any_of(REFUSED_BY_US, mine["error"]) else "different"
    if error:
        return "refused by them" if is_any_of(REFUSED_BY_THEM, error) else "different"
    if question["Ask"] == "mutation":
        theirs = {**theirs, "text": html.unescape(theirs["text"])}
    return "equal" if all(mine[key] == theirs[key] for key in mine) else "different"


def is_any_of(reasons: Json, error: str) -> bool:
    return any(re.search(reason, error) for reason in reasons)


def shown(question: Json) -> str:
    """A question with the smallest document about which the answers differ, and both answers."""

    def differs(spec: Any) -> bool:
        asks = {**question, "Document": {**question["Document"], "spec": spec}}
        return isinstance(spec, dict) and outcome(asks, *asked([asks])) == "different"

    spec = smallest(question["Document"]["spec"], differs)
    least = {**question, "Document": {**question["Document"], "spec": spec}}
    return f"{least}\n  theirs: {asked([least])[0]}\n  ours: {ours(least)}"


@each("name", "mutation", "get", "set", "delete", "replace", "cel")
def test_our_answers_are_those_of_the_libraries(ask: str, report: Report) -> None:
    random = Random(f"{SEED} {ask}")
    questions = [question(random, ask) for _ in range(QUESTIONS)]
    outcomes = [outcome(*each) for each in zip(questions, asked(questions), strict=True)]
    counts = Counter(outcomes)
    report(f"{ask}: {dict(sorted(counts.items()))}")
    others = [each for each, how in zip(questions, outcomes, strict=True) if how == "different"]
    assert not others, "\n".join(map(shown, others[:SHOWN]))
    assert counts["equal"] > QUESTIONS // 4
