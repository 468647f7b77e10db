"""Keys and passwords in a text. None of these opens anything; they are put together here, unseen by scanners."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbook.rules.credentials import find_credentials
from tests.growth import DRAWN, assert_linear
from tests.rules.secrets_by_chance import BY_CHANCE

CREDENTIALS = {
    "AKIA" + "Q7ZLW2XKVD4RB6TN": "an AWS access key",
    "ghp_" + BY_CHANCE + "Wq7Z": "a GitHub token",
    "github_pat_" + BY_CHANCE + BY_CHANCE: "a GitHub token",
    "glpat-" + BY_CHANCE[:20]: "a GitLab token",
    "xoxb-" + BY_CHANCE: "a Slack token",
    "AIza" + BY_CHANCE + "Wq7": "a Google key",
    "sk-ant-" + "api03-" + BY_CHANCE: "an Anthropic key",
    "sk-" + "proj-" + BY_CHANCE: "an OpenAI key",
    "sk-" + BY_CHANCE: "an OpenAI key",
    "hf_" + BY_CHANCE: "a Hugging Face token",
    "sk_" + "live_" + BY_CHANCE: "a Stripe key",
    "npm_" + BY_CHANCE + "Wq7Z": "an npm token",
    "pypi-" + "AgE" + BY_CHANCE + BY_CHANCE: "a PyPI token",
    "tvly-" + BY_CHANCE: "a Tavily key",
    "eyJ" + BY_CHANCE + ".eyJ" + BY_CHANCE + "." + BY_CHANCE: "a signed token",
    "-----BEGIN RSA " + "PRIVATE KEY-----\n" + BY_CHANCE + BY_CHANCE: "a private key",
    "postgres://mill:" + "gr1nd-it-all@db.test/rye": "a password in an address",
    'api_key = "' + BY_CHANCE + '"': "what looks like a key or password",
    "Authorization: Bearer " + BY_CHANCE: "what looks like a key or password",
    "PASSWORD=" + BY_CHANCE: "what looks like a key or password",
}

HARMLESS = [
    "AKIA" + "IOSFODNN7EXAMPLE",
    "export API_KEY=your-api-key-goes-right-here",
    "api_key = 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx12'",
    'token: "<a token of yours, of forty letters>"',
    "token=$GITHUB_TOKEN_OF_THE_RUNNER_1",
    "password: correct-horse-battery-staple",
    "postgres://user:password@localhost/db",
    *("mysql://root:" + "secret123@db/x", "https://admin:" + "Passw0rd@a.test/", "amqp://guest:" + "guest1234@rabbit"),
    *("PASSWORD: mysecret" + "password12345", "password=Super" + "SecretPassword123"),
    "-----BEGIN " + "PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "the token embedding has 4096 dimensions and the tokenizer knows 128256 tokens",
    "sk-learn and scikit-learn",
    "token/vocabulary/merges/of/the/model/v2",
    "secret: RUN --mount=type=secret,id=npmrc",
    "https://rye.test/a_very_long_address_with_token=in-its-name-and-nothing-else",
    "eyJ is how such tokens begin",
    "dotnet user-secrets set ExternalServiceApiKey updated-api-key-67890",
    *("--docker-secret regcred-4-internal-" + "registry2", "tlsSecret: kiln-manager-webhook-" + "ca2x"),
    "[shared](https://rye.test/a?type=2&token=" + "doccnyDAGXemFOBj9GwEdiDiQmg&from=2)",
]


@pytest.mark.parametrize(("text", "what"), CREDENTIALS.items(), ids=CREDENTIALS.values())
def test_a_credential_is_found(text: str, what: str) -> None:
    """Each shape is told once, by its name and line, and never by its value."""
    assert find_credentials(f"First.\n\nThe key is {text}.\n") == ((3, what),)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_manuals_say_is_none(text: str) -> None:
    """Examples, placeholders, hashes and words about keys pass."""
    assert find_credentials(f"First.\n\n{text}\n") == ()


@given(st.text())
def test_any_text_is_looked_through(text: str) -> None:
    """Nothing is too odd, and what is found stands on a line of the text."""
    assert all(1 <= line <= text.count("\n") + 1 for line, _ in find_credentials(text))
    assert_linear(find_credentials, text, DRAWN)
