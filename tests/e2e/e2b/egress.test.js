// Secrets that a sandbox uses and never has: the account's secrets, header rules of domains, and a proxy on the way out.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { InvalidArgumentError, SandboxError, SecretError, SecretNotFoundError } from 'e2b';
import { atEnd, rejection, sdkOf, withBoxes } from '../support/e2b.js';
import { startOrigins } from '../support/origins.js';
import { startSocks } from '../support/socks.js';

const origins = await startOrigins();
const { skip } = origins;
const host = withBoxes({ args: origins.serverArgs });
after(() => origins.stop());

const unique = () => randomBytes(8).toString('hex');
const secretsOf = () => sdkOf(host.server).Secret;

/** A secret that is removed when the test ends. */
async function keepSecret(t, name, value, options) {
  const Secret = secretsOf();
  const made = await Secret.create(name, value, options);
  atEnd(t, () => Secret.destroy(name));
  return made;
}

const rulesFor = (domain, headers) => ({ [domain]: [{ transform: { headers } }] });

/** A request out of the sandbox: its status, its answer, and what the origin saw of it. */
async function ask(sandbox, { name = 'api.test', port = 'tls', options = '' } = {}) {
  const path = `/status/200/${unique()}`;
  const url = `${port === 'plain' ? 'http' : 'https'}://${name}:${origins.port[port]}${path}`;
  const { stdout } = await sandbox.commands.run(`curl -s --max-time 20 -w '\\n%{http_code}' ${options} ${url} || true`);
  const lines = stdout.split('\n');
  return { status: Number(lines.pop()), body: lines.join('\n'), seen: origins.last(path) };
}

test('a secret is made, listed, updated and destroyed, and its value never shown', async (t) => {
  const Secret = secretsOf(), name = `key-${unique()}`, value = `canary-${unique()}`;
  const made = await keepSecret(t, name.toUpperCase(), value, { metadata: { team: 'red' } });
  assert.match(made.secretId, /^sec_[a-z0-9]{20}$/);
  assert.deepEqual([made.name, made.version, made.metadata], [name, 1, { team: 'red' }]);
  assert.ok(made.createdAt instanceof Date && !Number.isNaN(made.createdAt.getTime()));
  assert.deepEqual(await Secret.getInfo(made.secretId), made);
  assert.deepEqual(await Secret.getInfo(name), made);
  assert.equal(await Secret.exists(name), true);
  const updated = await Secret.update(name, `${value}-2`);
  assert.deepEqual([updated.secretId, updated.version, updated.metadata], [made.secretId, 2, { team: 'red' }]);
  assert.ok(updated.updatedAt >= made.updatedAt);
  assert.deepEqual((await Secret.update(made.secretId, value, { metadata: {} })).metadata, {});
  const raw = await host.server.call('GET', `/secrets/${name}`, { headers: { 'X-API-Key': host.server.key } });
  assert.ok(!JSON.stringify(raw.body).includes('canary'));
  assert.equal(await Secret.destroy(name), true);
  assert.equal(await Secret.destroy(name), false);
  assert.equal(await Secret.exists(name), false);
  const unnamed = await host.server.call('GET', '/secrets/', { headers: { 'X-API-Key': host.server.key } });
  assert.deepEqual([unnamed.status, unnamed.body.code], [404, 404]);
  await rejection(Secret.getInfo(name), SecretNotFoundError);
  await rejection(Secret.update(made.secretId, 'x'), SecretNotFoundError);
});

test('secrets are listed in pages, the newest first', async (t) => {
  const Secret = secretsOf(), names = ['a', 'b', 'c'].map((one) => `${one}-${unique()}`);
  for (const name of names) await keepSecret(t, name, 'value');
  const pages = Secret.list({ limit: 2 }), found = [];
  for (let page = 0; pages.hasNext; page++) {
    const items = await pages.nextItems();
    assert.ok(items.length <= 2);
    found.push(...items.map((one) => one.name));
  }
  assert.deepEqual(found.filter((name) => names.includes(name)), names.toReversed());
});

test('secrets that make no sense are refused with the reason', async (t) => {
  const Secret = secretsOf(), name = `taken-${unique()}`;
  await keepSecret(t, name, 'value');
  const big = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`k${i}`, 'v']));
  for (const [args, reason] of [
    [[name, 'canary'], /already exists/], [[name.toUpperCase(), 'canary'], /already exists/],
    [['a b', 'canary'], /letters, digits/], [['', 'canary'], /letters, digits/], [['a'.repeat(129), 'canary'], /1 to 128/],
    [['sec_mine', 'canary'], /reserved/], [['a', ''], /cannot be empty/], [['a', 'canary\0'], /NUL/],
    [['a', 'canary'.repeat(20_000)], /65536/], [['a', 'canary', { metadata: big }], /32 entries/],
    [['a', 'canary', { metadata: { k: 'x'.repeat(1025) } }], /1024/],
  ]) {
    const error = await rejection(Secret.create(...args), SecretError);
    assert.match(error.message, reason);
    assert.ok(!error.message.includes('canary'), error.message);
  }
});

test('an origin gets the secret, and nothing of it is in the sandbox', { skip }, async (t) => {
  const Secret = secretsOf(), name = `key-${unique()}`, value = `canary-${unique()}`;
  await keepSecret(t, name, value);
  const sandbox = await host.create(t, {
    envs: { API_KEY: Secret.fill(name) },
    network: { rules: rulesFor('api.test', { Authorization: `Bearer ${Secret.fill(name)}`, 'X-Two': `${Secret.fill(name)}/${Secret.fill(name.toUpperCase())}` }) },
  });
  for (const port of ['tls', 'http1', 'http2', 'plain']) {
    const { status, seen } = await ask(sandbox, { port, options: "-H 'authorization: mine'" });
    assert.equal(status, 200, port);
    assert.equal(seen.headers.authorization, `Bearer ${value}`, port);
    assert.equal(seen.headers['x-two'], `${value}/${value}`, port);
  }
  // The pattern reaches grep by a pipe and in halves, so that the search does not find itself.
  const search = async (text) => (await sandbox.commands.run(
    `grep -rlaF -f <(printf '%s%s' '${text.slice(0, 10)}' '${text.slice(10)}') /etc /home /root /opt /run /tmp /var /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null || true`, { user: 'root' })).stdout;
  const decoy = `decoy-${unique()}`;
  await sandbox.files.write('/home/user/decoy.txt', decoy);
  assert.match(await search(decoy), /decoy\.txt/, 'the search works');
  assert.equal(await search(value), '');
  assert.equal((await sandbox.commands.run('echo "$API_KEY"')).stdout, `\${e2b.secrets.${name}}\n`);
  const answers = JSON.stringify([await sandbox.getInfo(), await host.Sandbox.list().nextItems(), await Secret.list().nextItems()]);
  const logs = await host.server.call('GET', `/v2/sandboxes/${sandbox.sandboxId}/logs`, { headers: { 'X-API-Key': host.server.key } });
  for (const text of [answers, JSON.stringify(logs.body), host.server.log]) assert.ok(!text.includes(value));
});

test('only the domains of rules get headers, and a wildcard is for what is below it', { skip }, async (t) => {
  const sandbox = await host.create(t, {
    network: { rules: { ...rulesFor('*.api.test', { 'X-Key': 'wild' }), ...rulesFor('deep.api.test', { 'X-Key': 'own' }) } },
  });
  assert.equal((await ask(sandbox, { name: 'any.api.test' })).seen.headers['x-key'], 'wild');
  assert.equal((await ask(sandbox, { name: 'deep.api.test' })).seen.headers['x-key'], 'own');
  // What is not intercepted shows the origin's own certificate, which the sandbox has no reason to trust.
  assert.equal((await ask(sandbox, { name: 'api.test' })).status, 0);
  for (const name of ['api.test', 'other.test']) {
    const { status, seen } = await ask(sandbox, { name, options: '-k' });
    assert.deepEqual([status, seen.headers['x-key']], [200, undefined], name);
  }
});

test('a domain without headers of its own gets none of a wildcard above it', { skip }, async (t) => {
  for (const none of [[], [{ transform: {} }], [{ transform: { headers: {} } }]]) {
    const sandbox = await host.create(t, { network: { rules: { ...rulesFor('*.api.test', { 'X-Key': 'wild' }), 'evil.api.test': none } } });
    assert.deepEqual((await sandbox.getInfo()).network?.rules, { ...rulesFor('*.api.test', { 'X-Key': '***' }), 'evil.api.test': [] });
    assert.equal((await ask(sandbox, { name: 'good.api.test' })).seen.headers['x-key'], 'wild');
    assert.equal((await ask(sandbox, { name: 'evil.api.test' })).status, 0, 'it shows its own certificate');
    for (const [port, options] of [['tls', '-k'], ['plain', '']]) {
      const { status, seen } = await ask(sandbox, { name: 'evil.api.test', port, options });
      assert.deepEqual([status, seen.headers['x-key']], [200, undefined], port);
    }
  }
});

test('a value that is no placeholder is sent, kept sealed and not shown again', { skip }, async (t) => {
  const Secret = secretsOf(), value = `canary-${unique()}`;
  const rules = rulesFor('api.test', { 'X-Token': value, 'X-Named': `a ${Secret.fill('later')}` });
  const sandbox = await host.create(t, { network: { rules } });
  const shown = { 'X-Token': '***', 'X-Named': 'a ${e2b.secrets.later}' };
  assert.deepEqual((await sandbox.getInfo()).network?.rules, rulesFor('api.test', shown));
  // A secret that does not exist fails closed, by name, and works as soon as it is made.
  const refused = await ask(sandbox);
  assert.equal(refused.status, 502);
  assert.match(refused.body, /later/);
  assert.ok(!refused.body.includes(value));
  assert.equal(refused.seen, undefined, 'the origin was not asked');
  await keepSecret(t, 'later', 'made');
  const { seen } = await ask(sandbox);
  assert.deepEqual([seen.headers['x-token'], seen.headers['x-named']], [value, 'a made']);
  // What is shown is no value to be sent.
  const error = await rejection(sandbox.updateNetwork({ rules: rulesFor('api.test', shown) }), SandboxError);
  assert.match(error.message, /give the value again/);
});

test('a new value is sent from the next request on, and none once the secret is destroyed', { skip }, async (t) => {
  const Secret = secretsOf(), name = `key-${unique()}`;
  await keepSecret(t, name, 'first');
  const sandbox = await host.create(t, { network: { rules: rulesFor('api.test', { 'X-Key': Secret.fill(name) }) } });
  assert.equal((await ask(sandbox)).seen.headers['x-key'], 'first');
  await Secret.update(name, 'second');
  assert.equal((await ask(sandbox)).seen.headers['x-key'], 'second');
  await Secret.destroy(name);
  const { status, body, seen } = await ask(sandbox);
  assert.deepEqual([status, seen], [502, undefined]);
  assert.ok(body.includes(name));
  await keepSecret(t, name, 'third');
  assert.equal((await ask(sandbox)).seen.headers['x-key'], 'third');
});

test("an id names a secret, too, and another account's secret is none", { skip }, async (t) => {
  const name = `key-${unique()}`;
  const { secretId } = await keepSecret(t, name, 'value');
  const mine = await host.create(t, { network: { rules: rulesFor('api.test', { 'X-Key': `\${e2b.secrets.${secretId}}` }) } });
  assert.equal((await ask(mine)).seen.headers['x-key'], 'value');
  const { body: account } = await host.server.call('POST', '/api/viv/accounts', { json: { name: `other-${unique()}` } });
  const other = sdkOf(host.server, { apiKey: account.key });
  assert.equal(await other.Secret.exists(secretId), false);
  assert.deepEqual(await other.Secret.list().nextItems(), []);
  await rejection(other.Secret.update(secretId, 'x'), SecretNotFoundError);
  for (const ref of [name, secretId]) {
    const rules = rulesFor('api.test', { 'X-Key': other.Secret.fill(ref) });
    const theirs = await other.Sandbox.create({ network: { rules } });
    atEnd(t, () => other.Sandbox.kill(theirs.sandboxId));
    const { status, seen } = await ask(theirs);
    assert.deepEqual([status, seen], [502, undefined], ref);
  }
});

test('an update of the network replaces all of it at once', { skip }, async (t) => {
  const sandbox = await host.create(t, { network: { rules: rulesFor('api.test', { 'X-Key': 'one' }) } });
  assert.equal((await ask(sandbox)).seen.headers['x-key'], 'one');
  await sandbox.updateNetwork({ rules: rulesFor('api.test', { 'X-Key': 'two' }) });
  assert.equal((await ask(sandbox)).seen.headers['x-key'], 'two');
  await host.Sandbox.updateNetwork(sandbox.sandboxId, { rules: rulesFor('other.test', { 'X-Key': 'three' }) });
  assert.equal((await ask(sandbox, { options: '-k' })).seen.headers['x-key'], undefined);
  assert.equal((await ask(sandbox, { name: 'other.test' })).seen.headers['x-key'], 'three');
  await sandbox.updateNetwork({});
  assert.equal((await ask(sandbox, { name: 'other.test', options: '-k' })).seen.headers['x-key'], undefined);
  assert.equal((await sandbox.getInfo()).network, undefined);
});

test('a rule allows nothing by itself, and a list may name the rules', { skip }, async (t) => {
  const rules = rulesFor('api.test', { 'X-Key': 'value' });
  const sandbox = await host.create(t, { network: { rules, denyOut: ({ allTraffic }) => [allTraffic] } });
  assert.deepEqual([(await ask(sandbox)).status, (await ask(sandbox, { port: 'plain' })).status], [0, 0]);
  await sandbox.updateNetwork({ rules, allowOut: ({ rules: all }) => [...all.keys()], denyOut: ({ allTraffic }) => [allTraffic] });
  assert.equal((await ask(sandbox)).seen.headers['x-key'], 'value');
  assert.equal((await ask(sandbox, { name: 'other.test', options: '-k' })).status, 0);
  await sandbox.updateNetwork({ rules, allowInternetAccess: false });
  assert.equal((await ask(sandbox)).status, 0);
});

test('TLS by the address, without a name, does not pass a list of names', { skip }, async (t) => {
  const sandbox = await host.create(t, { network: { allowOut: ['api.test'], denyOut: ({ allTraffic }) => [allTraffic] } });
  assert.equal((await ask(sandbox, { options: '-k' })).status, 200);
  const byAddress = { name: origins.address, options: '-k' };
  assert.equal((await ask(sandbox, byAddress)).status, 0);
  await sandbox.updateNetwork({ allowOut: ['api.test', origins.address], denyOut: ({ allTraffic }) => [allTraffic] });
  assert.equal((await ask(sandbox, byAddress)).status, 200);
});

test('rules survive a pause and are copied by a fork', { skip }, async (t) => {
  const Secret = secretsOf(), name = `key-${unique()}`;
  await keepSecret(t, name, 'value');
  const sandbox = await host.create(t, { network: { rules: rulesFor('api.test', { 'X-Key': Secret.fill(name), 'X-Own': 'own' }) } });
  for (const keepMemory of [true, false]) {
    await sandbox.pause({ keepMemory });
    await sandbox.connect();
    const { seen } = await ask(sandbox);
    assert.deepEqual([seen.headers['x-key'], seen.headers['x-own']], ['value', 'own'], `memory: ${keepMemory}`);
  }
  const [copy] = await sandbox.fork({ timeoutMs: 60_000 });
  host.keep(t, copy);
  assert.equal((await ask(copy)).seen.headers['x-own'], 'own');
});

test('what leaves goes through the proxy, by name and with the headers of rules', { skip }, async (t) => {
  const socks = await startSocks({ address: origins.address, dial: () => origins.address, username: 'me', password: 'canary-proxy' });
  t.after(() => socks.stop());
  const rules = rulesFor('api.test', { 'X-Key': 'value' });
  const egressProxy = { address: `proxy.test:${socks.port}`, username: 'me', password: 'canary-proxy' };
  const sandbox = await host.create(t, { network: { rules, egressProxy } });
  assert.deepEqual((await sandbox.getInfo()).network?.egressProxy, { address: egressProxy.address, username: 'me' });
  assert.equal((await ask(sandbox)).seen.headers['x-key'], 'value');
  assert.deepEqual(socks.asked.at(-1), { host: 'api.test', port: origins.port.tls, byName: true, username: 'me' });
  assert.equal((await ask(sandbox, { name: 'other.test', options: '-k' })).status, 200);
  assert.deepEqual(socks.asked.at(-1), { host: 'other.test', port: origins.port.tls, byName: true, username: 'me' });
  // The lists come first, and without the proxy nothing leaves.
  const before = socks.asked.length;
  await sandbox.updateNetwork({ egressProxy, denyOut: [origins.address] });
  assert.equal((await ask(sandbox, { port: 'plain' })).status, 0);
  assert.equal(socks.asked.length, before);
  await sandbox.updateNetwork({ egressProxy: { ...egressProxy, password: 'wrong' } });
  assert.equal((await ask(sandbox, { port: 'plain' })).seen, undefined);
  assert.ok(socks.refused > 0);
  await sandbox.updateNetwork({});
  assert.equal((await ask(sandbox, { port: 'plain' })).status, 200);
  assert.equal(socks.asked.length, before);
  assert.equal((await sandbox.getInfo()).network, undefined);
  assert.ok(!host.server.log.includes('canary-proxy'));
});

test('a proxy without credentials works, and one of the house or of no address is refused', { skip }, async (t) => {
  const socks = await startSocks({ address: origins.address, dial: () => origins.address });
  t.after(() => socks.stop());
  const sandbox = await host.create(t, { network: { egressProxy: { address: socks.address } } });
  assert.equal((await ask(sandbox, { port: 'plain' })).status, 200);
  assert.equal(socks.asked.length, 1);
  const inside = await startSocks({ address: '127.0.0.1', dial: () => origins.address });
  t.after(() => inside.stop());
  const { length: before } = await host.Sandbox.list().nextItems();
  for (const [address, reason] of [
    [inside.address, 'egress proxy endpoint resolves to an internal / denied IP range: 127.0.0.1 resolves to 127.0.0.1'],
    [`loopback.test:${inside.port}`, 'egress proxy endpoint resolves to an internal / denied IP range: loopback.test resolves to 127.0.0.1'],
    [`metadata.test:${inside.port}`, 'egress proxy endpoint resolves to an internal / denied IP range: metadata.test resolves to 169.254.169.254'],
    ['nowhere.invalid:1080', 'resolve egress proxy host "nowhere.invalid": no such host'],
  ]) {
    const network = { egressProxy: { address } };
    for (const attempt of [() => host.Sandbox.create({ network }), () => sandbox.updateNetwork(network)]) {
      const error = await rejection(attempt(), SandboxError);
      assert.equal(error.message, `400: Invalid egress proxy config: ${reason}`);
    }
  }
  assert.equal((await host.Sandbox.list().nextItems()).length, before);
  assert.equal((await ask(sandbox, { port: 'plain' })).status, 200, 'by the first one still');
  assert.equal(inside.asked.length + inside.refused, 0);
});

test('rules and proxies that make no sense are refused with the reason', async (t) => {
  const sandbox = await host.create(t);
  const headers = (list) => rulesFor('a.com', list);
  const many = (count, make) => Object.fromEntries(Array.from({ length: count }, (_, i) => make(i)));
  for (const [network, reason] of [
    [{ rules: many(11, (i) => [`d${i}.com`, [{}]]) }, 'Network rules can have at most 10 domains.'],
    [{ rules: { 'a.com': [{}, {}] } }, 'Domain "a.com" can have at most 1 transform rule.'],
    [{ rules: { 'a.com': [], 'A.com': [] } }, 'Network rule domain keys must be unique ignoring case.'],
    [{ rules: headers(many(21, (i) => [`H${i}`, 'v'])) }, 'Domain "a.com" can have at most 20 headers per rule.'],
    ...['https://a.com', '10.0.0.1', 'a.com:443', '**.api.test', 'a.*.test', '*'].map((domain) => [{ rules: { [domain]: [] } }, `Rule domain "${domain}" is not a valid domain name.`]),
    [{ rules: headers({ Host: 'canary' }) }, /reserved/], [{ rules: headers({ 'content-length': 'canary' }) }, /reserved/],
    [{ rules: headers({ 'Transfer-Encoding': 'canary' }) }, /reserved/],
    [{ rules: headers({ 'a b': 'canary' }) }, 'Header name "a b" in rule for domain "a.com" must contain only valid HTTP token characters.'],
    [{ rules: headers({ ['a'.repeat(65)]: 'canary' }) }, /exceeds maximum length of 64 characters\.$/],
    [{ rules: headers({ A: 'canary\r\nB: c' }) }, 'Value for header "A" in rule for domain "a.com" contains invalid characters.'],
    [{ rules: headers({ A: 'canary\0' }) }, 'Value for header "A" in rule for domain "a.com" contains invalid characters.'],
    [{ rules: headers({ A: 'canary'.repeat(400) }) }, 'Value for header "A" in rule for domain "a.com" exceeds maximum length of 2048 characters.'],
    [{ rules: headers({ A: 'canary${e2b.secrets.a b}' }) }, 'Network transform header contains a malformed E2B placeholder.'],
    [{ rules: headers({ A: 'canary${e2b.identity.tokens.aws}' }) }, /workload identity/],
    [{ egressProxy: { address: 'proxy.example.com' } }, 'Invalid egress proxy config: egress proxy address must be in host:port form: missing port in address'],
    [{ egressProxy: { address: 'socks5://a.com:1' } }, /must be in host:port form: too many colons/],
    [{ egressProxy: { address: 'a.com:0' } }, 'Invalid egress proxy config: egress proxy port "0" is not a valid 1-65535 value'],
    [{ egressProxy: { address: 'a.com:1', password: 'canary' } }, 'Invalid egress proxy config: egress proxy password must be empty when username is empty'],
    [{ egressProxy: { address: 'a.com:1', username: 'x'.repeat(256) } }, /255/],
    [{ egressProxy: { address: 'a.com:1', username: 'u', password: 'canary'.repeat(50) } }, /255/],
  ]) {
    for (const attempt of [() => host.Sandbox.create({ network }), () => sandbox.updateNetwork(network)]) {
      const error = await rejection(attempt(), SandboxError);
      if (typeof reason === 'string') assert.equal(error.message, `400: ${reason}`);
      else assert.match(error.message, reason);
      assert.ok(!error.message.includes('canary'), error.message);
    }
  }
  await rejection(sandbox.updateNetwork({ egressProxy: { username: 'me' } }), InvalidArgumentError);
  assert.equal((await sandbox.getInfo()).network, undefined);
});
