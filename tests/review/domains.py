"""Fleets whose spokes have values of their own, which may meet those of others and of before."""

from functools import partial

from hypothesis import strategies as st

from tests.review.meaning.scenes import gateway, hub, policy, route
from tests.support.project import PLACEMENT

_LOGIN = "rules: {authentication: {login: {jwt: {issuerUrl: https://id.example}}}}"
_OPEN = "rules: {authentication: {login: {anonymous: {}}}}"
DOMAINS = ("shop.test", "sp1", "sp2.test", "eu.shop.test", "us.shop.test", "other.test", "test")

Project = tuple[str, str]
"""A hub, and a placement."""


@st.composite
def placed_on_domains(draw: st.DrawFn) -> str:
    """A Gateway on four spokes, each with hostnames of its own that may meet those of before."""
    spokes = "".join(
        f"  - {{name: sp{n}, values: {{domain: {draw(st.sampled_from(DOMAINS))},"
        f" host: {draw(st.sampled_from(DOMAINS))}}}}}\n"
        for n in range(4)
    )
    host = draw(st.sampled_from(("values.domain", "values.host", "name")))
    suffix = draw(st.sampled_from(("", ".test")))
    return f"""{PLACEMENT}  spokes:
{spokes}  rules:
  - gateways: {{names: [infra/web]}}
    spokes: {{all: true}}
    as: {{hostnames: {{"*.shop.example": "*.{{{{ spoke.{host} }}}}{suffix}"}}}}
"""


@st.composite
def projects(draw: st.DrawFn) -> Project:
    """Two routes, of which one may have the hostnames of a spoke; so may a second listener."""
    other = draw(st.sampled_from(("b.shop.example", "'*.shop.example'", "a.eu.shop.test", "a.sp1")))
    login = draw(st.sampled_from((*map(partial(policy, "AuthPolicy"), (_LOGIN, _OPEN)), "")))
    hostnames = draw(st.sampled_from((("*.shop.example",), ("*.shop.example", "*.sp1"))))
    listeners = ", ".join(
        f"{{name: https-{number}, port: 443, protocol: HTTPS, hostname: '{hostname}', "
        "tls: {certificateRefs: [{name: cert}]}}"
        for number, hostname in enumerate(hostnames)
    )
    documents = gateway("istio", listeners=listeners), route(), route("other", hosts=other), login
    return hub("istio", *filter(None, documents)), draw(placed_on_domains())
