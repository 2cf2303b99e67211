"""The models of tests of requests; the words in `expect` are those of `ask`."""

from itertools import product
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from spokerender.config.base import ApiVersion, Choice, Items, Model, refuse
from spokerender.config.fleet import TextList
from spokerender.config.names import RATE, Text
from spokerender.config.selectors import SpokeSelection

Credentials = Literal["apiKey", "basic", "certificate", "jwt", "oauth2", "oidc", "token"]
"""The kinds of `Credential` that policies require."""
_WAYS = ("request", "hosts")


class LimitExpectation(Model):
    """A limit that holds for the requests, or a stricter one."""

    at_most: Annotated[str, StringConstraints(pattern=RATE)] = Field(
        description="The number of requests that may pass in a time: 10/1m."
    )
    per: TextList = Field(
        default=(), description="What is counted apart, in the policy's words; default: anything."
    )


class Expectations(Model):
    """The conditions that requests have to fulfil; one that files do not decide is unfulfilled."""

    served: bool | None = Field(default=None, description="Whether a rule takes them.")
    anonymous: Literal["refused", "served"] | None = Field(
        default=None, description="What becomes of a caller without a credential."
    )
    authentication: dict[Credentials, TextList] | None = Field(
        default=None,
        min_length=1,
        description="The credentials of which callers need one, each with whose it is, and no "
        "others: {jwt: https://login.example.com}, {apiKey: any}.",
    )
    authorization: TextList = Field(
        default=(), description="Conditions that callers have to fulfil, as `ask` shows them."
    )
    limit: LimitExpectation | None = Field(default=None, description="How often they may come.")
    backend: TextList = Field(
        default=(), description="All backends: namespace/name:port, or Kind/namespace/name."
    )
    rewrite: Text | None = Field(
        default=None, description="What the backend is asked for: /path, or host/path."
    )
    redirect: Text | None = Field(
        default=None, description="Where callers are sent: a URL, or its path."
    )
    status: Annotated[int, Field(ge=300, le=599)] | None = Field(
        default=None, description="The status of the gateway's own answer without a credential."
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        expected = self.by_key
        if not expected:
            refuse("nothing is expected", f"write one of {', '.join(type(self).model_fields)}")
        # A key alone and a key with its value may both be contradicted.
        words = {word for key, value in expected.items() for word in (key, f"{key}: {value}")}
        for one, others in _CONTRADICTIONS.items():
            for other in others if one in words else ():
                if other in words:
                    message = f"{one.lower()} and {other} contradict each other"
                    refuse(message, "keep the one that you mean", other.partition(":")[0])
        return self

    @property
    def by_key(self) -> dict[str, Any]:
        """Return the expectations, by their keys in YAML."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


_OF_SERVED = ("authentication", "authorization", "limit", "backend", "rewrite", "redirect")
_CONTRADICTIONS = {
    # Python's spelling, as the words are made of Python's values.
    "served: False": ("anonymous: served", *_OF_SERVED),
    "anonymous: served": ("authentication", "status: 401", "status: 403"),
    "redirect": ("backend", "rewrite"),
}


class RequestTest(Choice, json_schema_extra={"oneOf": [{"required": [k]} for k in _WAYS]}):
    """Requests, on some spokes, and what happens to them there."""

    alternatives = _WAYS

    name: Text = Field(description="What must hold, in a few words; unique among tests.")
    request: Text | None = Field(
        default=None,
        description="A method and a URL, whose host may have values of the spoke: "
        "GET https://api.{{ spoke.values.domain }}/.",
    )
    hosts: Items[Text] | None = Field(
        default=None, description="Instead of one request: hosts, called by https."
    )
    paths: Items[Text] = Field(default=("/",), description="The paths for each of the hosts.")
    methods: Items[Text] = Field(default=("GET",), description="The methods for each path.")
    headers: Items[Text] = Field(default=(), description='Headers: "name: value".')
    from_: Text = Field(default="", alias="from", description="The caller's address.")
    spokes: SpokeSelection = Field(
        default=SpokeSelection(all=True), description="The spokes; default: all of them."
    )
    expect: Expectations = Field(description="What happens to the requests.")

    @model_validator(mode="after")
    def _lists_with_hosts(self) -> Self:
        for key in {"paths", "methods"} & self.model_fields_set if self.request else ():
            refuse(f"{key} has no effect with request", "write hosts instead of it", key)
        return self

    @property
    def requests(self) -> tuple[str, ...]:
        """Return all requests, each as text for `ask`."""
        parts = product(self.hosts or (), self.paths, self.methods)
        lists = (f"{method} https://{host}/{path.lstrip('/')}" for host, path, method in parts)
        return (self.request,) if self.request is not None else tuple(lists)


class RequestTestsSpec(Model):
    """The tests of requests in one file."""

    tests: Annotated[Items[RequestTest], Field(min_length=1)] = Field(description="The tests.")


class RequestTests(Model):
    """Tests of requests, which `check` runs on the rendered spokes."""

    api_version: ApiVersion = Field(description="The version of this file's format.")
    kind: Literal["RequestTests"] = Field(description="The kind of this file.")
    spec: RequestTestsSpec = Field(description="The tests.")
