// proxy_config: where a sandbox may connect, against real listeners of this machine and names of our own; and that a
// secret which was given once is never seen again.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { LangSmithValidationError, awsAuth, opaqueSecret, proxyConfig } from 'langsmith/sandbox';
import { rejection, sdkOf } from '../support/e2b.js';
import { withSandboxes } from '../support/langsmith.js';
import { outside, startResolver } from '../support/resolver.js';

const skip = outside ? false : 'this machine has no IPv4 address but loopback';
// Every name below .test is this machine.
const resolver = await startResolver((name) => (name.endsWith('.test') ? outside : undefined));
const host = withSandboxes({ args: ['--resolver', resolver.address, ...(outside ? ['--open-private', `${outside}/32`] : [])] });

const listeners = [];
let one, two;  // ports
before(async () => {
  for (let i = 0; i < 2; i++) {
    const listener = createServer((request, response) => response.end('reached'));
    await new Promise((done) => listener.listen(0, '0.0.0.0', done));
    listeners.push(listener);
  }
  [one, two] = listeners.map((listener) => listener.address().port);
});
after(() => {
  listeners.forEach((listener) => listener.close());
  resolver.stop();
});

/** Which of these "host:port" the sandbox reaches, each as true or false. */
async function reaches(sandbox, ...targets) {
  const { stdout } = await sandbox.run(targets.map((to) => `curl -s --max-time 10 http://${to}/ || echo -n refused; echo`).join('\n'), { timeout: 120 });
  const answers = stdout.trim().split('\n');
  assert.equal(answers.length, targets.length, stdout);
  return Object.fromEntries(targets.map((to, i) => {
    assert.ok(['reached', 'refused'].includes(answers[i]), `${to}: ${answers[i]}`);
    return [to, answers[i] === 'reached'];
  }));
}
const expectReaches = async (sandbox, expected) => assert.deepEqual(await reaches(sandbox, ...Object.keys(expected)), expected);
const allowing = (...list) => proxyConfig({ accessControl: { allow_list: list } });
const denying = (...list) => proxyConfig({ accessControl: { deny_list: list } });

test('without a list everything is reached, by name and by address', { skip }, async (t) => {
  const box = await host.create(t);
  await expectReaches(box, { [`any.test:${one}`]: true, [`${outside}:${two}`]: true, [`any.nowhere:${one}`]: false });
});

test('an allowed host is reached on every port, and no other host is', { skip }, async (t) => {
  const box = await host.create(t, { proxyConfig: allowing('Good.test') });
  resolver.asked.length = 0;
  await expectReaches(box, {
    [`good.test:${one}`]: true, [`good.test:${two}`]: true, [`GOOD.test:${one}`]: true, [`sub.good.test:${one}`]: false, [`other.test:${one}`]: false,
  });
  assert.ok(!resolver.asked.includes('other.test'), 'a name that is not allowed is not asked for: it could carry data out');
});

test('an allowed host and port is that port only', { skip }, async (t) => {
  const box = await host.create(t, { proxyConfig: allowing(`good.test:${one}`) });
  await expectReaches(box, { [`good.test:${one}`]: true, [`good.test:${two}`]: false, [`other.test:${one}`]: false });
});

test('a wildcard is every name below, not the domain itself', { skip }, async (t) => {
  const box = await host.create(t, { proxyConfig: allowing('*.wild.test') });
  await expectReaches(box, {
    [`wild.test:${one}`]: false, [`a.wild.test:${one}`]: true, [`a.b.wild.test:${two}`]: true, [`evilwild.test:${one}`]: false,
  });
  const globbed = await host.create(t, { proxyConfig: allowing(`api-*.test:${one}`) });
  await expectReaches(globbed, { [`api-1.test:${one}`]: true, [`api-1.test:${two}`]: false, [`api.test:${one}`]: false });
});

test('a star and a port is every host on that port', { skip }, async (t) => {
  const box = await host.create(t, { proxyConfig: allowing(`*:${two}`) });
  await expectReaches(box, { [`any.test:${two}`]: true, [`any.test:${one}`]: false, [`${outside}:${two}`]: true, [`${outside}:${one}`]: false });
});

test('an expression fits whole names', { skip }, async (t) => {
  const box = await host.create(t, { proxyConfig: allowing('~(api|cdn)\\d+\\.test') });
  await expectReaches(box, { [`api7.test:${one}`]: true, [`CDN12.test:${two}`]: true, [`api.test:${one}`]: false, [`xapi7.test:${one}`]: false });
});

test('addresses and blocks, with and without a port', { skip }, async (t) => {
  const address = await host.create(t, { proxyConfig: allowing(`${outside}:${one}`) });
  await expectReaches(address, { [`${outside}:${one}`]: true, [`${outside}:${two}`]: false });
  const block = await host.create(t, { proxyConfig: allowing(`${outside}/24`) });
  await expectReaches(block, { [`${outside}:${one}`]: true, [`${outside}:${two}`]: true });
  const elsewhere = await host.create(t, { proxyConfig: allowing('203.0.113.0/24', '198.51.100.7:80') });
  await expectReaches(elsewhere, { [`${outside}:${one}`]: false });
});

test('what is denied is not reached, and all the rest is', { skip }, async (t) => {
  const names = await host.create(t, { proxyConfig: denying('bad.test', '*.ads.test', '~track.*') });
  await expectReaches(names, {
    [`bad.test:${one}`]: false, [`x.ads.test:${one}`]: false, [`tracker.test:${one}`]: false, [`ads.test:${one}`]: true, [`${outside}:${one}`]: true,
  });
  const port = await host.create(t, { proxyConfig: denying(`half.test:${one}`) });
  await expectReaches(port, { [`half.test:${one}`]: false, [`half.test:${two}`]: true });
  const addresses = await host.create(t, { proxyConfig: denying(`${outside}:${one}`) });
  await expectReaches(addresses, { [`${outside}:${one}`]: false, [`any.test:${one}`]: false, [`any.test:${two}`]: true });
  const block = await host.create(t, { proxyConfig: denying(`${outside}/32`) });
  await expectReaches(block, { [`any.test:${two}`]: false });
  const all = await host.create(t, { proxyConfig: denying('*') });
  await expectReaches(all, { [`any.test:${one}`]: false, [`${outside}:${one}`]: false });
});

test('lists are replaced at once and hold after stop and start', { skip }, async (t) => {
  const box = await host.create(t, { name: 'live' });
  await expectReaches(box, { [`good.test:${one}`]: true });
  await host.client.updateSandbox('live', { proxyConfig: denying('good.test', `${outside}:${two}`) });
  await expectReaches(box, { [`good.test:${two}`]: false, [`${outside}:${two}`]: false, [`new.test:${one}`]: true });
  await host.client.updateSandbox('live', { proxyConfig: allowing(`good.test:${two}`) });
  await expectReaches(box, { [`good.test:${two}`]: true, [`good.test:${one}`]: false });
  await host.client.stopSandbox('live');
  await host.client.startSandbox('live', { timeout: 60 });
  await expectReaches(box, { [`good.test:${two}`]: true, [`good.test:${one}`]: false, [`other.test:${two}`]: false });
  await host.client.stopSandbox('live');
  await assert.rejects(host.client.updateSandbox('live', { proxyConfig: allowing('other.test') }), /not ready/);
  await expectReaches(box, { [`other.test:${two}`]: false, [`good.test:${two}`]: true });  // which wakes it
  await host.client.updateSandbox('live', { proxyConfig: allowing('other.test') });
  await expectReaches(box, { [`other.test:${two}`]: true, [`good.test:${two}`]: false });
  await host.client.updateSandbox('live', { proxyConfig: proxyConfig() });
  await expectReaches(box, { [`good.test:${one}`]: true });
});

test('a connection that a new list forbids is cut', { skip }, async (t) => {
  const box = await host.create(t, { name: 'cut' });
  const held = createServer((request, response) => response.write('begun\n'));  // never ends
  await new Promise((done) => held.listen(0, '0.0.0.0', done));
  t.after(() => {
    held.closeAllConnections();
    held.close();
  });
  const handle = await box.run(`curl -sN http://any.test:${held.address().port}/; echo "curl $?"`, { wait: false, timeout: 120 });
  let output = '';
  for await (const chunk of handle) {
    if (chunk.data.includes('begun')) await host.client.updateSandbox('cut', { proxyConfig: denying('any.test') });
    output += chunk.data;
  }
  assert.match(output, /^begun\ncurl [1-9]/);
});

test('both lists at once and what cannot be read are refused, naming the field', async (t) => {
  const create = (config) => rejection(host.client.createSandbox({ proxyConfig: config }), LangSmithValidationError);
  const both = await create({ access_control: { allow_list: ['a.test'], deny_list: ['b.test'] } });
  assert.equal(both.field, 'access_control');
  assert.match(both.message, /allow_list and deny_list/);
  for (const entry of ['', 'a b', 'a.test:0', 'a.test:http', '10.0.0.0/40', '10.0.0.0/8:80', '~(', 'https://a.test', '[::1']) {
    const refused = await create(allowing('good.test', entry));
    assert.equal(refused.field, '1', entry);
  }
  const [problem] = await host.refused(422, undefined, 'POST', '/boxes', { proxy_config: { access_control: { deny_list: ['~('] } } });
  assert.deepEqual(problem.loc, ['body', 'proxy_config', 'access_control', 'deny_list', '0']);
  assert.equal(problem.type, 'value_error');
  const rule = (more) => ({ rules: [{ name: 'r', match_hosts: ['a.test'], ...more }] });
  assert.equal((await create(rule({ match_hosts: ['https://a.test'] }))).field, '0');
  assert.equal((await create(rule({ headers: [{ name: 'Host', type: 'plaintext', value: 'x' }] }))).field, 'name');
  assert.equal((await create(rule({ headers: [{ name: 'X', type: 'plaintext', value: 'a\r\nB: c' }] }))).field, 'value');
  assert.equal((await create(rule({ headers: [{ name: 'X', type: 'opaque' }] }))).field, 'value');
  assert.equal((await create(rule({ env_vars: { AWS_ACCESS_KEY_ID: 'x' } }))).field, 'env_vars');
  assert.equal((await create({ callbacks: [{ match_hosts: ['a.test'], url: 'https://a.test', ttl_seconds: 59 }] })).field, 'ttl_seconds');
  const role = awsAuth({ roleArn: 'arn:aws:iam::123456789012:role/r' });
  assert.equal((await create({ rules: [role, { ...role, name: 'again' }] })).field, 'type');
  for (const [more, field] of [[{ rewrite: { port: 80, host: 'b.test' } }, 'rewrite'], [{ aws: { ...role.aws, subject_scope: 'workspace' } }, 'subject_scope']])
    assert.equal((await create({ rules: [{ ...role, ...more }] })).field, field);
  // A bad update leaves what was.
  const box = await host.create(t, { name: 'unharmed', proxyConfig: denying('bad.test') });
  await rejection(host.client.updateSandbox('unharmed', { proxyConfig: allowing('a b') }), LangSmithValidationError);
  const { body } = await host.call('GET', `/boxes/${box.id}`);
  assert.deepEqual(body.proxy_config.access_control, { deny_list: ['bad.test'] });
});

/** Which of these texts are in a file below the server's data folder; the image of the boxes is searched where it is mounted. */
function foundOnDisk(...texts) {
  const files = ['-path', '*/boxes/net', '-prune', '-o', '-type', 'f', '!', '-name', 'store.img'];
  const search = ['-exec', 'grep', '-aohsF', ...texts.flatMap((text) => ['-e', text]), '{}', '+'];
  const { stdout } = spawnSync('find', [host.server.data, ...files, ...search], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  return new Set(stdout.trim().split('\n'));
}

test('an opaque secret is kept, hidden and nowhere in plain', async (t) => {
  const secret = 'Bearer vErY-5eCrEt-0123456789';
  const config = (header) => ({
    rules: [{ name: 'github', match_hosts: ['api.github.com'], headers: [header, { name: 'X-Team', type: 'plaintext', value: 'shown-0123456789' }], env_vars: { GH_TOKEN: 'placeholder' } }],
  });
  const box = await host.create(t, { name: 'sealed', proxyConfig: config({ name: 'Authorization', ...opaqueSecret(secret) }) });
  const shown = async () => (await host.call('GET', '/boxes/sealed')).body;
  const expected = { name: 'Authorization', type: 'opaque', is_set: true };
  assert.deepEqual((await shown()).proxy_config.rules[0].headers, [expected, { name: 'X-Team', type: 'plaintext', value: 'shown-0123456789' }]);
  const listed = await host.call('GET', '/boxes');
  for (const answer of [await shown(), listed.body]) {
    assert.ok(!JSON.stringify(answer).includes('5eCrEt'), 'an answer shows the secret');
    assert.ok(!JSON.stringify(answer).includes('sealed":"v1'), 'an answer shows what is stored of the secret');
  }
  assert.equal((await box.run('echo $GH_TOKEN')).stdout, 'placeholder\n');
  const inside = await box.run('{ env; cat /proc/[0-9]*/environ; grep -rsF 5eCrEt /etc /home /root /run /tmp /var; } 2>/dev/null | tr "\\0" "\\n" | grep -c 5eCrEt || true');
  assert.equal(inside.stdout.trim(), '0');
  // Sent without its value it stays; a new rule has none to keep.
  await host.client.updateSandbox('sealed', { proxyConfig: config({ name: 'Authorization', type: 'opaque' }) });
  assert.deepEqual((await shown()).proxy_config.rules[0].headers[0], expected);
  const refused = await rejection(host.client.updateSandbox('sealed', { proxyConfig: config({ name: 'X-New', type: 'opaque' }) }), LangSmithValidationError);
  assert.equal(refused.field, 'value');
  await host.client.stopSandbox('sealed');
  await host.client.startSandbox('sealed', { timeout: 60 });
  assert.deepEqual((await shown()).proxy_config.rules[0].headers[0], expected);
  // What is stored in plain is found, also in the sandbox's own files.
  await box.write('/home/user/note', 'noted-0123456789');
  assert.deepEqual(foundOnDisk('shown-0123456789', 'noted-0123456789', '5eCrEt'), new Set(['shown-0123456789', 'noted-0123456789']));
  assert.ok(!host.server.log.includes('5eCrEt'), 'the secret is in the log');
});

test('the other dialect sees the same sandbox under the same rules', { skip }, async (t) => {
  const box = await host.create(t, { name: 'shared', proxyConfig: allowing(`good.test:${one}`) });
  await expectReaches(box, { [`good.test:${one}`]: true });
  const { Sandbox } = sdkOf(host.server);
  const found = [];
  for (const pages = Sandbox.list(); pages.hasNext;) found.push(...(await pages.nextItems()));
  const same = found.length === 1 ? await Sandbox.connect(found[0].sandboxId) : assert.fail(`${found.length} sandboxes are listed`);
  const reach = async (to) => (await same.commands.run(`curl -s --max-time 10 http://${to}/ || echo refused`)).stdout.trim();
  assert.equal(await reach(`good.test:${one}`), 'reached');
  assert.equal(await reach(`good.test:${two}`), 'refused');
  await same.updateNetwork({ denyOut: [outside] });
  await expectReaches(box, { [`good.test:${one}`]: false });
});
