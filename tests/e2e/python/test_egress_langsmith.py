"""proxy_config with the Python SDK of LangSmith: headers that are added on the way out of a sandbox."""
import json
import os
import urllib.request

import pytest
from conftest import running_server
from egress_origins import https_origin, outside, resolver
from langsmith.sandbox import SandboxClient, ValidationError, opaque_secret, proxy_config, workspace_secret

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


@pytest.fixture
def client(world):
    url, key, _ = world
    with SandboxClient(api_endpoint=f"{url}/v2/sandboxes", api_key=key) as made:
        yield made


def set_secret(world, name, value):
    url, key, _ = world
    request = urllib.request.Request(f"{url}/api/v1/workspaces/current/secrets", method="POST",
                                     data=json.dumps([{"key": name, "value": value}]).encode(),
                                     headers={"X-Api-Key": key, "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200


def rule(**header):
    return {"name": "api", "match_hosts": ["api.test"], "headers": [{"name": "Authorization", **header}],
            "env_vars": {"API_TOKEN": "placeholder"}}


def sent(sandbox, origin):
    """The headers that the origin saw of a request of Python's own library."""
    result = sandbox.run(f"python3 -c \"import urllib.request as r; print(r.urlopen('{origin}').read().decode())\"")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_rule_may_be_for_requests_that_carry_a_header(world, client):
    swap = {**rule(**opaque_secret("Bearer the-key")), "match_headers": ["authorization: Bearer placeholder"]}
    ask = f"curl -s {world[2]} -H 'Authorization: Bearer "
    with client.sandbox(proxy_config=proxy_config(rules=[swap])) as sandbox:
        assert json.loads(sandbox.run(ask + "placeholder'").stdout)["authorization"] == "Bearer the-key"
        assert json.loads(sandbox.run(ask + "other'").stdout)["authorization"] == "Bearer other"


def test_secrets_are_added_and_stay_outside(world, client):
    origin = world[2]
    with client.sandbox(proxy_config=proxy_config(rules=[rule(**opaque_secret("Bearer s3cret-python"))])) as sandbox:
        assert sent(sandbox, origin)["authorization"] == "Bearer s3cret-python"
        inside = sandbox.run("env; cat /proc/[0-9]*/environ 2> /dev/null").stdout
        assert "placeholder" in inside
        assert "s3cret" not in inside

        set_secret(world, "PYTHON_KEY", "first")
        client.update_sandbox(sandbox.name, proxy_config=proxy_config(rules=[rule(**workspace_secret("PYTHON_KEY"))]))
        assert sent(sandbox, origin)["authorization"] == "first"
        set_secret(world, "PYTHON_KEY", "second")
        client.stop_sandbox(sandbox.name)
        client.start_sandbox(sandbox.name, timeout=60)
        assert sent(sandbox, origin)["authorization"] == "second"
        set_secret(world, "PYTHON_KEY", None)
        refused = sandbox.run(f"curl -s -w '%{{http_code}}' {origin}").stdout
        assert refused.endswith("502") and "PYTHON_KEY" in refused.upper()


def test_mistakes_are_refused(client):
    for header in ({"type": "plaintext", "value": "a\r\nB: c"}, {"type": "opaque"}, {"type": "workspace_secret", "value": "no name"}):
        with pytest.raises(ValidationError):
            client.create_sandbox(proxy_config={"rules": [rule(**header)]})
