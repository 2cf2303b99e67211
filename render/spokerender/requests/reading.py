"""Read tests of requests from files, or raise all faults at once."""

import re
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address

from msgspec import Struct
from msgspec.structs import replace

from spokerender.config.documents import (
    ConfigDocument,
    Named,
    duplicates,
    parsed,
    raise_results,
    read_documents,
)
from spokerender.config.requests import RequestTest, RequestTests
from spokerender.explain.requests import RequestError, read_request
from spokerender.findings.codes.project import INVALID_VALUE
from spokerender.findings.results import FindingKind, Result
from spokerender.model import Origin, shown
from spokerender.model.shapes import as_list, as_mapping
from spokerender.model.sources import Files
from spokerender.rendering.values.bundles import Bundle
from spokerender.topology.matches import ANONYMOUS, Request

_NO_HOST = re.compile(r"^(?:[^{]|\{\{.*?\}\})*?[\s/]")
"""Matches a URL, or a method before a host; expressions in a host may have spaces."""
_MOST = 10_000
"""The most requests of all tests: more than people intend with their lists."""


class WrittenTest(Struct, frozen=True, eq=False):
    """A test of requests, with its file and its index there."""

    test: RequestTest
    file: ConfigDocument
    index: int

    def at(self, *path: str | int) -> Origin:
        """Return the line of a field of the test."""
        return self.file.at("spec", "tests", self.index, *path)

    @property
    def way(self) -> str:
        """The field with the test's requests: `request` or `hosts`."""
        return "request" if self.test.request is not None else "hosts"

    def is_for(self, bundle: Bundle) -> bool:
        """Return whether the test selects a spoke."""
        return self.test.spokes.value.means(bundle.spoke.name, bundle.spoke.labels)

    def read(self, text: str) -> Request:
        """Return `text` as a request of the test, without a credential. Raises `RequestError`."""
        request = read_request(text, self.test.headers)
        return replace(request, credential=ANONYMOUS, client=self.test.from_)

    def report(self, kind: FindingKind, message: str, *path: str | int, cure: str = "") -> Result:
        """Return a finding about a field of the test."""
        field = shown(("spec", "tests", self.index, *path))
        message = f'"{self.test.name}": {message}'
        tags = (("test", self.test.name),)
        return kind.result(message, cure=cure, field=field, origin=self.at(*path), tags=tags)


def read_tests(files: Files) -> tuple[WrittenTest, ...]:
    """Return the tests in files. Raises `InputError` with all problems."""
    documents, results = read_documents(files, ["RequestTests"])
    parsed(documents, RequestTests, results)
    tests = tuple(test for document in documents for test in _list_tests(document))
    results += duplicates(
        Named("test", it.test.name, ("spec", "tests", it.index, "name"), it.file) for it in tests
    )
    number = sum(len(each.test.requests) for each in tests)
    if number > _MOST:
        message = f"the tests have {number:,} requests, and {_MOST:,} are allowed"
        most = max(tests, key=lambda it: len(it.test.requests))
        cure = f"leave some out: this test has {len(most.test.requests):,} of them"
        results.append(most.report(INVALID_VALUE, message, cure=cure))
    else:
        results += (fault for each in tests for fault in _check_requests(each))
    raise_results(results)
    return tests


def _list_tests(document: ConfigDocument) -> Iterator[WrittenTest]:
    """Yield the valid tests of a document; invalid tests are left out."""
    for index, entry in enumerate(as_list(as_mapping(document.value.get("spec")).get("tests"))):
        with suppress(ValueError):
            yield WrittenTest(RequestTest.model_validate(entry), document, index)


def _check_requests(written: WrittenTest) -> Iterator[Result]:
    """Yield findings about a test's hosts, requests and address that are invalid on every spoke."""
    urls = [it for it in enumerate(written.test.hosts or ()) if _NO_HOST.search(it[1])]
    for index, host in urls:
        cure = "write the host alone, and what follows it in `paths`"
        yield written.report(INVALID_VALUE, f'"{host}" is no host', "hosts", index, cure=cure)
    for text in written.test.requests if not urls else ():
        try:
            written.read(text)
        except RequestError as error:
            yield written.report(INVALID_VALUE, str(error), written.way)
    try:
        ip_address(written.test.from_ or "::")
    except ValueError:
        message, cure = f'"{written.test.from_}" is no address', "write one like 192.0.2.1"
        yield written.report(INVALID_VALUE, message, "from", cure=cure)
