"""Credentials for a judge's requests: those that policies of random hubs accept, and wrong ones."""

import base64
import hashlib
import hmac
import json
from typing import Any

Json = dict[str, Any]
_SECRET = b"the secret of an issuer of tokens"
PASSWORD, API_KEY = "bar", "abc"
USERS = base64.b64encode(
    b"foo:{SHA}" + base64.b64encode(hashlib.sha1(PASSWORD.encode()).digest())  # noqa: S324
).decode()
"""A file of users that has foo with the password."""


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


JWKS = json.dumps({"keys": [{"kty": "oct", "alg": "HS256", "kid": "a", "k": _encode(_SECRET)}]})


def token(issuer: str, *, is_right: bool = True) -> str:
    """A token of an issuer, signed with its key or with another one."""
    head = {"alg": "HS256", "typ": "JWT", "kid": "a"}
    parts = [_encode(json.dumps(part).encode()) for part in (head, {"iss": issuer, "sub": "me"})]
    text = ".".join(parts)
    secret = _SECRET if is_right else b"another one"
    return f"{text}.{_encode(hmac.digest(secret, text.encode(), 'sha256'))}"


def basic(password: str = PASSWORD) -> str:
    """The value of the header `Authorization` for foo."""
    return "Basic " + base64.b64encode(f"foo:{password}".encode()).decode()
