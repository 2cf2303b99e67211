"""What is taken for a credential, and how it is told."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.credentials import Redactor, find_credentials, find_likely_credentials
from tests.support import cases, each, named_rows_of, rows_of
from tests.support.stages import values

KINDS = Catalogue.of(())
INLINE = "s3cr3t-W0rd/+="
LONG = "s3cr3tW0rd0123456789abcdef"


def found(text: str) -> frozenset[str]:
    data: dict[str, Any] = values(text)[0]
    return find_credentials(KINDS.kind(data["apiVersion"].rpartition("/")[0], data["kind"]), data)


API, KUADRANT, OTHER = "gateway.networking.k8s.io", "kuadrant.io", "example.com"


@cases(*rows_of(__file__, "where_credentials_stand"))
def test_where_credentials_stand(group: str, kind: str, spec: str) -> None:
    text = f"apiVersion: {group}/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec: {spec}\n"
    assert INLINE in found(text.replace("X}", f"{INLINE}}}").replace("X]", f"{INLINE}]"))


def test_of_a_secret_it_is_all_of_its_content() -> None:
    text = "apiVersion: v1\nkind: Secret\ndata: {a: YQ==}\nstringData: {b: c}\n"
    assert found(text) == {"YQ==", "c"}


@cases(*rows_of(__file__, "texts_that_spell_one_out"))
def test_texts_that_spell_one_out(text: str, expected: list[str]) -> None:
    text, *secrets = (
        one.replace("INLINE", INLINE).replace("LONG", LONG) for one in (text, *expected)
    )
    assert find_likely_credentials({"a": [text]}) == set(secrets)


@each("\n", "\\n", ids=["lines", "escaped"])
@each("", "RSA ", "EC ", "ENCRYPTED ")
def test_of_a_private_key_each_line_is_one(kind: str, end: str) -> None:
    lines = ("MIIEvQIBADANBgkq", "hkiG9w0BAQEFAASC")
    certificate = f"-----BEGIN CERTIFICATE-----{end}MIIDazCCAlOgAwIB{end}-----END CERTIFICATE-----"
    key = end.join(
        (f"-----BEGIN {kind}PRIVATE KEY-----", *lines, f"-----END {kind}PRIVATE KEY-----")
    )
    text = f"{certificate}{end}{key}{end}"
    secrets = find_likely_credentials({"data": {"tls.pem": text}})
    assert set(lines) < secrets
    told = Redactor().text(text, secrets)
    assert "MIIDazCCAlOgAwIB" in told
    assert not any(line in told for line in lines)


@cases(*rows_of(__file__, "fields_that_end_as_one_is_called"))
def test_fields_that_end_as_one_is_called(field: str, is_one: bool) -> None:
    assert find_likely_credentials({field: INLINE}) == ({INLINE} if is_one else set())


@each(*rows_of(__file__, "what_is_none"))
def test_what_is_none(spec: str) -> None:
    assert found(f"apiVersion: example.com/v1\nkind: A\nspec: {spec}\n") == frozenset()


@cases(*rows_of(__file__, "what_its_neighbours_say"))
def test_what_its_neighbours_say(data: dict[str, Any], expected: list[str]) -> None:
    assert find_likely_credentials(data) == set(expected)


@each("[]", "{}", "null", "1")
def test_an_operator_of_any_shape(operator: str) -> None:
    named = f"{{name: api-key, value: {INLINE}, operator: {operator}}}"
    policy = f"{{apiVersion: {OTHER}/v1, kind: Odd, metadata: {{name: a}}, spec: {named}}}"
    assert found(policy) == {INLINE}


def test_equal_ones_have_one_number_and_others_another() -> None:
    redactor, secrets = Redactor(), {"one-secret", "two-secret"}
    data = {"a": "one-secret", "b": ["two-secret"], "c": "x one-secret y", "d": 5}
    assert redactor.data(data, secrets) == {
        "a": "<redacted:1>",
        "b": ["<redacted:2>"],
        "c": "x <redacted:1> y",
        "d": 5,
    }


@cases(*rows_of(__file__, "messages_that_quote_one"))
def test_messages_that_quote_one(secret: str, message: str, expected: str) -> None:
    assert Redactor().text(message, {secret}) == expected


def test_a_number_is_one_as_well() -> None:
    assert Redactor().data({"password": 12345678}, {"12345678"}) == {"password": "<redacted:1>"}


@cases(*named_rows_of(__file__, "a_long_text_is_read_once"))
def test_a_long_text_is_read_once(beginning: str, part: str, times: int) -> None:
    """With repetitions that meet, each of these took minutes."""
    text = beginning + part * times
    assert "s3cr3t" not in find_likely_credentials({"description": text})
