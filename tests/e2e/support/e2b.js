// The E2B SDK on a server of ours with boxes, and what its tests have in common.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { E2B } from 'e2b';
import { Server } from './server.js';

/** The SDK's entry, bound to the server: one address for the API and for every sandbox. */
export const sdkOf = (server, options = {}) =>
  new E2B({ apiKey: server.key, apiUrl: server.url, sandboxUrl: server.url, ...options });

/** Does something when the test ends, what was put off last first. */
const putOff = new WeakMap();
export function atEnd(t, work) {
  if (!putOff.has(t)) {
    putOff.set(t, []);
    t.after(async () => {
      for (const one of putOff.get(t).reverse()) await one();
    });
  }
  putOff.get(t).push(work);
}

/**
 * Starts one server for the test file it is called in. Each test makes its sandboxes with `create(t, …)`, which
 * removes them when the test ends.
 */
export function withBoxes(options = {}) {
  const host = {
    async create(t, ...args) {
      return host.keep(t, await host.Sandbox.create(...args));
    },
    /** Removes a sandbox, which something else made, when the test ends. */
    keep(t, sandbox) {
      atEnd(t, () => host.Sandbox.kill(sandbox.sandboxId));
      return sandbox;
    },
    /** Makes a snapshot that is removed when the test ends. */
    async snapshot(t, sandbox, options) {
      const snapshot = await sandbox.createSnapshot(options);
      atEnd(t, () => host.Sandbox.deleteSnapshot(snapshot.snapshotId));
      return snapshot;
    },
    /** A request to a port of a sandbox, as a proxy that has no names would route it. */
    fetchPort(sandbox, port, path = '/', { headers = {}, ...init } = {}) {
      const route = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': String(port) };
      return fetch(host.server.url + path, { ...init, headers: { ...route, ...headers } });
    },
  };
  before(async () => {
    host.server = await Server.start({ boxes: true, ...options });
    host.Sandbox = sdkOf(host.server).Sandbox;
  });
  after(() => host.server?.stop());
  return host;
}

/** Asks again until the answer is truthy; the test's own limit ends it when it never is. */
export async function until(ask, what = 'the condition') {
  for (let tries = 0; tries < 1200; tries++) {
    const answer = await ask();
    if (answer) return answer;
    await sleep(50);
  }
  assert.fail(`${what} did not come true within a minute`);
}

/** What a promise is rejected with; fails when it is not. */
export async function rejection(promise, type) {
  try {
    await promise;
  } catch (error) {
    assert.ok(!type || error instanceof type, `expected ${type?.name}, got ${error.name}: ${error.message}`);
    return error;
  }
  assert.fail(`expected ${type?.name ?? 'a rejection'}, but it succeeded`);
}
