"""The control plane with the Python SDK of LangSmith."""
import asyncio
import os

import pytest
from langsmith.sandbox import (AsyncSandboxClient, ResourceNameConflictError, ResourceNotFoundError, SandboxAuthenticationError,
                               SandboxClient, SandboxClientError, ValidationError)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="boxes need root")


@pytest.fixture
def client(server_with_boxes):
    url, key = server_with_boxes
    with SandboxClient(api_endpoint=f"{url}/v2/sandboxes", api_key=key) as made:
        yield made


@pytest.fixture
def sandbox(client):
    made = client.create_sandbox(timeout=60)
    yield made
    client.delete_sandbox(made.id)


def test_create_list_and_get(client, sandbox):
    assert sandbox.status == "ready"
    assert sandbox.dataplane_url.endswith(f"/v2/sandboxes/{sandbox.id}")
    assert sandbox.id in [one.id for one in client.list_sandboxes()]
    assert client.get_sandbox(sandbox.name).id == sandbox.id
    assert client.get_sandbox_status(sandbox.name).status == "ready"


def test_stop_and_start(client, sandbox):
    client.stop_sandbox(sandbox.name)
    assert client.get_sandbox_status(sandbox.name).status == "stopped"
    with pytest.raises(SandboxClientError):
        client.stop_sandbox(sandbox.name)
    started = client.start_sandbox(sandbox.name, timeout=60)
    assert (started.status, started.dataplane_url) == ("ready", sandbox.dataplane_url)


def test_update(client, sandbox):
    changed = client.update_sandbox(sandbox.name, new_name="python-renamed", idle_ttl_seconds=120)
    assert (changed.id, changed.name, changed.idle_ttl_seconds) == (sandbox.id, "python-renamed", 120)
    with client.sandbox(name="python-taken") as other:
        with pytest.raises(ResourceNameConflictError):
            client.update_sandbox("python-renamed", new_name=other.name)
    with pytest.raises(ResourceNotFoundError):
        client.get_sandbox("python-taken")


def test_without_waiting(client):
    made = client.create_sandbox(name="python-later", wait_for_ready=False)
    assert made.status in ("provisioning", "ready")
    assert client.wait_for_sandbox("python-later", timeout=60).status == "ready"
    client.delete_sandbox("python-later")
    with pytest.raises(ResourceNotFoundError):
        client.delete_sandbox("python-later")


def test_refusals(client, server_with_boxes):
    url, _ = server_with_boxes
    with pytest.raises(ValidationError):
        client.create_sandbox(name="no good")
    with pytest.raises(ResourceNotFoundError):
        client.create_sandbox(snapshot_name="absent")
    with pytest.raises(SandboxAuthenticationError):
        SandboxClient(api_endpoint=f"{url}/v2/sandboxes", api_key="nobody").list_sandboxes()


def test_asynchronous_client(server_with_boxes):
    url, key = server_with_boxes

    async def drive():
        async with AsyncSandboxClient(api_endpoint=f"{url}/api/v2/sandboxes", api_key=key) as client:
            made = await client.create_sandbox()
            assert made.id in [one.id for one in await client.list_sandboxes()]
            await client.stop_sandbox(made.name)
            assert (await client.start_sandbox(made.name)).status == "ready"
            await client.delete_sandbox(made.name)

    asyncio.run(drive())
