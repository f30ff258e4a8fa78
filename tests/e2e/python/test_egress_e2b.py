"""Secrets and header rules with the Python SDK of E2B, against an HTTPS origin of the test's own."""
import asyncio
import json
import os
import uuid

import pytest
from conftest import running_server
from e2b import AsyncSecret, Sandbox, SandboxException, Secret, SecretException, SecretNotFoundException
from egress_origins import https_origin, outside, resolver

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="boxes need root"),
    pytest.mark.skipif(outside() is None, reason="this machine has no IPv4 address but loopback"),
]


@pytest.fixture(scope="module")
def world():
    """The server's URL and key, and the URL of an HTTPS origin that only the gateway trusts."""
    address = outside()
    with resolver(address) as names, https_origin(address, "api.test") as (port, authority):
        arguments = ("--boxes", "on", "--on-exit", "kill", "--builtin-apps", "", "--resolver", names,
                     "--open-private", f"{address}/32", "--egress-ca", authority)
        with running_server(*arguments) as (url, key):
            yield url, key, f"https://api.test:{port}/"


@pytest.fixture(autouse=True)
def environment(world, monkeypatch):
    url, key, _ = world
    monkeypatch.setenv("E2B_API_KEY", key)
    monkeypatch.setenv("E2B_API_URL", url)
    monkeypatch.setenv("E2B_SANDBOX_URL", url)


@pytest.fixture
def secret():
    """The name of a secret, whose value is "canary" and that name."""
    name = f"key-{uuid.uuid4()}"
    Secret.create(name, f"canary {name}")
    yield name
    Secret.destroy(name)


def rules_for(domain, headers):
    return {domain: [{"transform": {"headers": headers}}]}


def sent(sandbox, origin):
    """The headers that the origin saw of a request of Python's own library; they are its answer."""
    script = f"import requests; print(requests.get('{origin}', timeout=60).text)"
    return json.loads(sandbox.commands.run(f'python3 -c "{script}"').stdout)


def test_secrets():
    name = f"Key-{uuid.uuid4()}"
    made = Secret.create(name, "value", metadata={"team": "red"})
    assert (made.name, made.version, made.metadata) == (name.lower(), 1, {"team": "red"})
    assert Secret.get_info(made.secret_id).name == name.lower()
    assert Secret.update(name, "other").version == 2
    assert Secret.exists(name) is True
    assert name.lower() in [one.name for one in Secret.list(limit=10).next_items()]
    with pytest.raises(SecretException, match="already exists"):
        Secret.create(name, "value")
    with pytest.raises(SecretException, match="letters, digits"):
        Secret.create("a b", "value")
    assert Secret.destroy(name) is True
    assert Secret.destroy(name) is False
    with pytest.raises(SecretNotFoundException):
        Secret.get_info(name)


def test_secrets_asynchronously():
    async def flow():
        name = f"key-{uuid.uuid4()}"
        await AsyncSecret.create(name, "value")
        assert (await AsyncSecret.update(name, "other")).version == 2
        assert [one.name for one in await AsyncSecret.list(limit=1).next_items()] == [name]
        assert await AsyncSecret.destroy(name) is True
        assert await AsyncSecret.exists(name) is False

    asyncio.run(flow())


def test_a_secret_reaches_the_origin_and_not_the_sandbox(world, secret):
    rules = rules_for("api.test", {"Authorization": f"Bearer {Secret.fill(secret)}"})
    with Sandbox.create(timeout=300, network={"rules": rules}) as sandbox:
        inside = sandbox.commands.run("env; cat /proc/[0-9]*/environ 2> /dev/null || true", user="root").stdout
        assert f"canary {secret}" not in inside
        assert sandbox.get_info().network["rules"] == rules
        assert sent(sandbox, world[2])["authorization"] == f"Bearer canary {secret}"
        Secret.update(secret, "rotated")
        assert sent(sandbox, world[2])["authorization"] == "Bearer rotated"


def test_rules_are_replaced_while_it_runs(world):
    with Sandbox.create(timeout=300, network={"rules": rules_for("api.test", {"X-One": "1"})}) as sandbox:
        assert sent(sandbox, world[2])["x-one"] == "1"
        sandbox.update_network({"rules": rules_for("api.test", {"X-Two": "2"})})
        headers = sent(sandbox, world[2])
        assert headers["x-two"] == "2" and "x-one" not in headers
        assert sandbox.get_info().network["rules"] == rules_for("api.test", {"X-Two": "***"})


def test_mistakes_are_explained():
    for network, reason in (
        ({"rules": rules_for("api.test", {"Host": "x"})}, "reserved"),
        ({"rules": rules_for("10.0.0.1", {"A": "x"})}, 'Rule domain "10.0.0.1" is not a valid domain name'),
        ({"rules": rules_for("api.test", {"A": "a\r\nB: c"})}, "contains invalid characters"),
        ({"egress_proxy": {"address": "nowhere"}}, "must be in host:port form"),
        ({"egress_proxy": {"address": "proxy.example.com:1080", "password": "x"}}, "password must be empty when username is empty"),
        ({"egress_proxy": {"address": "proxy.example.com:1080", "tls": True}}, "TLS toward the proxy"),
    ):
        with pytest.raises(SandboxException, match=reason):
            Sandbox.create(network=network)
