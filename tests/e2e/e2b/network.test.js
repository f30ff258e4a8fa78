// What a sandbox may reach: lists of allowed and denied addresses against real listeners of this machine.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { SandboxError } from 'e2b';
import { rejection, sdkOf, withBoxes } from '../support/e2b.js';
import { outside as address, startResolver } from '../support/resolver.js';
import { Server } from '../support/server.js';

const skip = address ? false : 'this machine has no IPv4 address but loopback';

// Every name below .test is this machine.
const resolver = await startResolver((name) => (name.endsWith('.test') ? address : undefined));
const host = withBoxes({ args: ['--resolver', resolver.address, ...(address ? ['--open-private', `${address}/32`] : [])] });
let listener, port;
before(async () => {
  listener = createServer((request, response) => response.end(`reached ${request.url}`));
  await new Promise((done) => listener.listen(0, '0.0.0.0', done));
  port = listener.address().port;
});
after(() => {
  listener.close();
  resolver.stop();
});

const reach = async (sandbox, to = address) => {
  const { stdout } = await sandbox.commands.run(`curl -s --max-time 10 http://${to}:${port}/x || echo "refused"`);
  return stdout.trim();
};

test('an address of the outside is reached', { skip }, async (t) => {
  assert.equal(await reach(await host.create(t)), 'reached /x');
});

test('a denied address is not reached, and an allowed one wins over it', { skip }, async (t) => {
  const denied = await host.create(t, { network: { denyOut: [address] } });
  assert.equal(await reach(denied), 'refused');
  const block = await host.create(t, { network: { denyOut: [`${address}/24`] } });
  assert.equal(await reach(block), 'refused');
  const all = await host.create(t, { network: { denyOut: ({ allTraffic }) => [allTraffic] } });
  assert.equal(await reach(all), 'refused');
  const allowed = await host.create(t, { network: { denyOut: ['0.0.0.0/0'], allowOut: [address] } });
  assert.equal(await reach(allowed), 'reached /x');
  const info = await allowed.getInfo();
  assert.deepEqual(info.network?.allowOut, [address]);
  assert.deepEqual(info.network?.denyOut, ['0.0.0.0/0']);
});

test('without internet access nothing is reached', { skip }, async (t) => {
  const sandbox = await host.create(t, { allowInternetAccess: false });
  assert.equal(await reach(sandbox), 'refused');
  assert.equal((await sandbox.getInfo()).allowInternetAccess, false);
  await sandbox.updateNetwork({ allowInternetAccess: true });
  assert.equal((await sandbox.getInfo()).allowInternetAccess, true);
  await sandbox.updateNetwork({});
  assert.equal((await sandbox.getInfo()).allowInternetAccess, undefined, 'nobody said anything');
  await sandbox.updateNetwork({ allowInternetAccess: false });
  assert.equal((await sandbox.commands.run('getent hosts example.com || echo unknown')).stdout, 'unknown\n');
});

test('an allowed name opens what it leads to, and a wildcard all below it', { skip }, async (t) => {
  const sandbox = await host.create(t, { network: { allowOut: ['good.test', '*.wild.test'], denyOut: ['0.0.0.0/0'] } });
  resolver.asked.length = 0;
  for (const [name, answer] of [['other.test', 'refused'], ['wild.test', 'refused'], ['Good.test', 'reached /x'], ['a.b.wild.test', 'reached /x']]) {
    assert.equal(await reach(sandbox, name), answer, name);
  }
  assert.ok(!resolver.asked.includes('other.test'), 'a name that is not allowed is not asked for');
});

test('a star is every name, and no address', { skip }, async (t) => {
  const sandbox = await host.create(t, { network: { allowOut: ['*'], denyOut: ['0.0.0.0/0'] } });
  assert.deepEqual((await sandbox.getInfo()).network?.allowOut, ['*']);
  assert.equal(await reach(sandbox), 'refused');
  for (const name of ['good.test', 'a.b.wild.test']) assert.equal(await reach(sandbox, name), 'reached /x', name);
  assert.notEqual(await reach(sandbox), 'reached /x', 'also when a name has led there');
});

test('the lists of a running sandbox are replaced at once', { skip }, async (t) => {
  const sandbox = await host.create(t);
  assert.equal(await reach(sandbox), 'reached /x');
  await sandbox.updateNetwork({ denyOut: [address] });
  assert.equal(await reach(sandbox), 'refused');
  await sandbox.pause();
  await sandbox.connect();
  assert.equal(await reach(sandbox), 'refused');
  await host.Sandbox.updateNetwork(sandbox.sandboxId, {});
  assert.equal(await reach(sandbox), 'reached /x');
  await sandbox.updateNetwork({ allowInternetAccess: false });
  assert.equal(await reach(sandbox), 'refused');
});

test('lists that make no sense are refused with the reason', async (t) => {
  const create = (network) => rejection(host.Sandbox.create({ network }), SandboxError);
  assert.match((await create({ allowOut: ['example.com'] })).message, /you must include 'ALL_TRAFFIC' in deny out/);
  assert.match((await create({ denyOut: ['example.com'] })).message, /invalid denied CIDR example\.com/);
  await create({ denyOut: ['10.0.0.0/40'] });
  // Ports, expressions and other patterns are words of another dialect.
  for (const entry of ['example.com:443', '1.2.3.4:80', '~.*', 'a*.com', '**', '[::1]:80']) {
    assert.match((await create({ allowOut: [entry], denyOut: ['0.0.0.0/0'] })).message, /invalid allowed domain: /, entry);
    assert.match((await create({ denyOut: [entry] })).message, /invalid denied CIDR/, entry);
  }
  await create({ allowOut: ['not an address'] });
  const sandbox = await host.create(t);
  await rejection(sandbox.updateNetwork({ denyOut: ['nonsense'] }), SandboxError);
  await rejection(host.Sandbox.updateNetwork('i00000000000000000000', {}), SandboxError);
});

test('this machine and private networks are out of reach unless they are opened', async (t) => {
  const own = await Server.start({ boxes: true });
  t.after(() => own.stop());
  const { Sandbox } = sdkOf(own);
  const sandbox = await Sandbox.create({ network: { allowOut: [address ?? '10.0.0.1'] } });
  if (address) assert.equal(await reach(sandbox), 'refused');
  assert.equal(await reach(sandbox, '127.0.0.1'), 'refused');
  assert.equal(await reach(sandbox, 'localhost'), 'refused');
  assert.equal(await reach(sandbox, '169.254.169.254'), 'refused');
  assert.equal(await reach(sandbox, '10.0.0.1'), 'refused');
  assert.equal(await reach(sandbox, '[::1]'), 'refused');
  assert.equal((await sandbox.commands.run(`curl -s --max-time 5 ${own.url}/healthz || echo refused`)).stdout, 'refused\n');
});

test('two sandboxes do not reach each other', async (t) => {
  const [one, two] = await Promise.all([host.create(t), host.create(t)]);
  await one.commands.run('python3 -m http.server 8123 --bind 0.0.0.0', { background: true, timeoutMs: 0 });
  const { stdout } = await one.commands.run('for i in $(seq 100); do curl -s -o /dev/null http://127.0.0.1:8123/ && break; sleep 0.1; done; hostname -I 2>/dev/null || ip -4 -o addr | awk \'{print $4}\' | cut -d/ -f1');
  for (const own of new Set(['127.0.0.1', ...stdout.trim().split(/\s+/).filter((one) => /^[\d.]+$/.test(one))])) {
    assert.equal((await two.commands.run(`curl -s --max-time 5 -o /dev/null http://${own}:8123/ && echo reached || echo refused`)).stdout, 'refused\n');
  }
});
