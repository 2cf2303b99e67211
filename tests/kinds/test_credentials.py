"""What is taken for a credential, and how it is told."""

from typing import Any

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.credentials import Redactor, find_credentials, find_likely_credentials
from tests.support import cases, each, rows_of
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


@cases(
    (f"Bearer {INLINE}", {INLINE}),
    (f"proxy_set_header Authorization 'Basic {INLINE}';", {INLINE}),
    (f"https://user:{INLINE.replace('/', '')}@example.com/x", {INLINE.replace("/", "")}),
    (f"request.headers['x-api-key'] == '{INLINE}'", {INLINE}),
    (f'request.headers["authorization"] != "{INLINE}"', {INLINE}),
    (f"https://{LONG}@example.com/x", {LONG}),
    (f"https://user:a/{LONG}@example.com/x", {f"a/{LONG}"}),
    (f"https://example.com/x?a=b&access_token={LONG}&c=d", {LONG}),
    (f"https://example.com/x?sv=1&sig={LONG}", {LONG}),
    (f"Server=a;User=b;Password={LONG};", {LONG}),
    (f"a: b\nclient_secret: {LONG}\nc: d\n", {LONG}),
    (f'{{"client_secret": "{LONG}"}}', {LONG}),
    (f'{{\\"client_secret\\": \\"{LONG}\\"}}', {LONG}),
    (f'local password = "{LONG}"', {LONG}),
    (f"x eyJhbGciOiJIUzI1NiJ9.{LONG}.{LONG} y", {f"eyJhbGciOiJIUzI1NiJ9.{LONG}.{LONG}"}),
    (f"x ghp_{LONG} y", {f"ghp_{LONG}"}),
    ("x AKIAIOSFODNN7EXAMPLE y", {"AKIAIOSFODNN7EXAMPLE"}),
    (f"x hvs.{LONG} y", {f"hvs.{LONG}"}),
    (f"https://hooks.slack.com/services/T00/B00/{LONG}", {f"T00/B00/{LONG}"}),
    (f"admin:$2y$05${LONG},other", {f"$2y$05${LONG}"}),
    (f"admin:{{SHA}}{LONG}=", {f"{{SHA}}{LONG}="}),
    (f"curl -u user:{LONG} https://example.com", {LONG}),
    (f"psql --db-password {LONG} -h a", {LONG}),
    (f"<db><password>{LONG}</password></db>", {LONG}),
    (f"Endpoint=a;AccountKey={LONG}==;b", {f"{LONG}=="}),
    (f'{{"keys": [{{"kty": "oct", "k": "{LONG}"}}]}}', {LONG}),
    ("curl -u user https://example.com:80", set()),
    ("--token -h", set()),
    ("<name>password</name>", set()),
    ("token := input.request.headers.authorization", set()),
    ("password := verify(input)", set()),
    ("the token: of the user", set()),
    ("https://git@example.com/x", set()),
    ("request.headers['x-tenant'] == 'acme'", set()),
    ("auth.identity.metadata.annotations.token", set()),
    ("https://example.com:8080/x@y", set()),
)
def test_texts_that_spell_one_out(text: str, expected: set[str]) -> None:
    assert find_likely_credentials({"a": [text]}) == expected


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


@cases(
    ({"kty": "RSA", "n": "public", "d": "private", "p": "prime"}, {"private", "prime"}),
    ({"n": "public", "d": "deep"}, set()),
    ({"args": ["--password", "old", "--user", "a"]}, {"old"}),
    ({"args": ["password", "old"]}, set()),
    ({"secret": "web-tls", "credentials": "web-tls", "bearer": "web"}, set()),
    ({"stringData": {"a": "b"}}, {"b"}),
)
def test_what_its_neighbours_say(data: dict[str, Any], expected: set[str]) -> None:
    assert find_likely_credentials(data) == expected


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


@each(
    "a" * 200_000,
    "token" + " " * 200_000,
    "passw" * 40_000,
    "a://" * 50_000,
    "token=='" * 30_000,
    "token=" * 30_000,
    'secret: "' * 20_000,
    "https://a:b" * 20_000,
    "-----BEGIN PRIVATE KEY-----" * 5_000,
    "eyJaaaaaaaa." * 15_000,
    "--token " * 25_000,
    "<token>" * 25_000,
    "$2y$aaaaaaaa" * 16_000,
    "-u a:b" * 30_000,
    ids=[
        "scheme",
        "spaces",
        "words",
        "addresses",
        "quotes",
        "assignments",
        "values",
        "users",
        "keys",
        "tokens",
        "options",
        "elements",
        "hashes",
        "curl",
    ],
)
def test_a_long_text_is_read_once(text: str) -> None:
    """With repetitions that meet, each of these took minutes."""
    assert "s3cr3t" not in find_likely_credentials({"description": text})
