"""`check` and kube-apiserver agree on what is taken, and on what is said of what is not.

What is said is compared with the words of the dry run: once as it is, which refuses unknown
fields before it looks at anything else, and once more without asking for that. Where we say less,
more or something else, `REASONS` and `TOLD_APART` tell why.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from spokerender.findings.results import Severity
from spokerender.formats import yamlio
from spokerender.judging.validation.crds import Schemas, Server, read_schemas
from spokerender.judging.validation.objects import validate
from tests.acceptance.test_validation import WANTED, objects, ref
from tests.live.cluster import Cluster, root_of
from tests.live.definitions import gateway_api
from tests.live.mutations import mutated
from tests.live.trees import NAMES, exact, meant, rendered
from tests.support import rows_of

pytestmark = pytest.mark.live


CHANNELS = ("standard", "experimental")
SEED, MUTATIONS = 20261122, 500
Said = frozenset[tuple[str, str]]
"""Where, and what."""

_OF_STATUS = "invalid__ip-address-and-hostname-in-status-addresses-are-invalid"
STATUSES = {f"{_OF_STATUS}.yaml", f"Gateway/TestValidateGateway/{_OF_STATUS}"}
"""The API server drops the status of an object that is created; `check` judges it as it is."""
REASONS = rows_of(__file__, "reasons")
"""What the API server says and we do not."""
TOLD_APART = re.compile(
    r'(?<=Invalid value: )(?:"(?:object|array|string|integer|boolean|number)"|null|""): '
)
"""Since 1.36 the API server names the type of what a rule refuses no more."""


class Told:
    """What the dry run says of an object."""

    def __init__(self, status: int, answer: dict[str, Any]) -> None:
        """Keep the causes; a decoder's error has none."""
        self.is_taken = status < 300
        self.message = answer.get("message", "") if not self.is_taken else ""
        causes = (answer.get("details") or {}).get("causes") or ()
        found = {plain(each.get("field", ""), each["message"]) for each in causes}
        self.said: Said = frozenset(
            (place, words)
            for place, words in found
            if not any(re.search(reason, words) for reason in REASONS)
        )
        self.unknown = frozenset(
            ("unknown field", flat(place))
            for place in re.findall(r'unknown field "([^"]+)"', self.message)
        )
        self.is_undecoded = "json: cannot unmarshal" in self.message
        self.is_other = "cannot be handled" not in self.message and not causes


def plain(place: str, message: str) -> tuple[str, str]:
    """A place and words without what differs and means nothing: see `TOLD_APART`."""
    words = TOLD_APART.sub("", message).removeprefix("Invalid value: ")
    words = re.sub(r'^"(?:[^"\\]|\\.)*": ', "", words)  # the value itself
    if place == "<nil>" and (match := re.match(r'"([^"]+)" must', words)):
        place = match[1]
    return flat(place), flat(words)


def flat(text: str) -> str:
    """A place as the API server writes it: a key of a map stands behind a point, too."""
    return re.sub(r"\[([^\]\d][^\]]*)\]", r".\1", text)


class Judge:
    """The API server and we, asked about the same objects by the same CRDs."""

    def __init__(self, cluster: Cluster, channel: str) -> None:
        """Install the CRDs of a channel."""
        crds = gateway_api(channel)
        cluster.install(crds)
        self.cluster, self.resources = cluster, cluster.resources()
        files = [(crd["metadata"]["name"], yamlio.emit(crd).encode()) for crd in crds]
        self.schemas: Schemas = read_schemas(files, (), WANTED)

    def theirs(self, value: dict[str, Any], validation: str = "Strict") -> Told | None:
        """What the dry run says; None where the API server has no such kind."""
        names = self.resources.get((value["apiVersion"], value["kind"]))
        if names is None:
            return None
        plural, has_namespace = names
        namespace = (value.get("metadata") or {}).get("namespace") or "default"
        place = f"/namespaces/{namespace}" if has_namespace else ""
        query = f"?dryRun=All&fieldValidation={validation}"
        path = f"{root_of(value['apiVersion'])}{place}/{plural}{query}"
        return Told(*self.cluster.ask("POST", path, value))

    def ours(self, value: dict[str, Any]) -> tuple[str, ...]:
        """What `check` says; that a namespace is missing is for kubectl to fill in."""
        return tuple(
            fault.message
            for fault in validate(value, ref(value), self.schemas, Server())
            if fault.finding.severity is Severity.ERROR and fault.field != ("metadata", "namespace")
        )

    def disagreements(self, value: dict[str, Any]) -> Iterator[str]:
        """In what the two differ about an object."""
        told, ours = self.theirs(value), self.ours(value)
        if told is None:
            return
        if told.is_taken == bool(ours):
            yield f"taken: {told.is_taken}; {told.message}; we say {ours}"
            return
        if told.is_taken or told.is_undecoded or told.is_other:
            return  # of what can't be decoded, the first Go type that does not fit is all it says
        lenient = self.theirs(value, "Ignore")
        theirs = told.said | told.unknown | (lenient.said if lenient is not None else frozenset())
        if lenient is not None and lenient.is_undecoded:
            return
        said = frozenset(map(_as_said, ours))
        for each in _lacking(theirs, said):
            yield f"they say {each}, we say {sorted(said)}"


def _lacking(theirs: Said, ours: Said) -> list[tuple[str, str]]:
    """What they say and we do not: below a value of the wrong type we name no unknown field."""
    wrong = {place for place, words in ours if "must be of type" in words}
    return [
        (place, words)
        for place, words in sorted(theirs - ours)
        if not (place == "unknown field" and words.rpartition(".")[0] in wrong)
    ]


def _as_said(message: str) -> tuple[str, str]:
    if match := re.fullmatch(r'unknown field "(.*)"', message):
        return "unknown field", flat(match[1])
    place, _, words = message.partition(": ")
    return plain(place, words)


@pytest.fixture(scope="module", params=CHANNELS)
def judge(request: pytest.FixtureRequest, api_server: Cluster) -> Judge:
    return Judge(api_server, request.param)


def cases(fixtures: Path, channel: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The Gateway API's own: tests of its CRDs, manifests that must be refused, examples."""
    for case in json.loads((fixtures / "cases/cel.json").read_text(encoding="utf-8")):
        if case["channel"] in {"both", channel}:
            yield case["name"], case["object"]
    folders = [f"{name}/{channel}" for name in ("cases/invalid-examples", "gateway-api/examples")]
    for folder in (*folders, "gateway-api/conformance-manifests"):
        for file in sorted((fixtures / folder).rglob("*.yaml")):
            yield from ((file.name, value) for _, value in objects(file))


def test_cases_and_examples(judge: Judge, fixtures: Path, request: pytest.FixtureRequest) -> None:
    tried = list(cases(fixtures, request.node.callspec.params["judge"]))
    assert len(tried) > 400
    found = [(name, what) for name, value in tried for what in judge.disagreements(value)]
    assert [each for each in found if each[0] not in STATUSES] == []
    assert {name for name, _ in found} <= STATUSES


@cache
def examples() -> Sequence[dict[str, Any]]:
    """The objects of all spokes of all examples, each once."""
    found = {
        exact(value): value
        for name in NAMES
        for spoke in sorted(rendered(name).bundles)
        for value in meant(name, spoke).values()
        if (value["apiVersion"].rpartition("/")[0], value["kind"]) in WANTED
    }
    return list(found.values())


def test_what_we_render_with_one_thing_changed(judge: Judge) -> None:
    """The same 500 every time: values of other types, none, unknown ones, one too many."""
    random = Random(SEED)
    found: list[tuple[str, str]] = []
    verdicts: Counter[bool] = Counter()
    for _ in range(MUTATIONS):
        value = mutated(random.choice(examples()), random)
        verdicts[not judge.ours(value)] += 1
        found += [(f"{value['kind']} {exact(value)}", what) for what in judge.disagreements(value)]
    assert found == []
    assert min(verdicts.values()) > MUTATIONS // 10, "some are taken, some are refused"
