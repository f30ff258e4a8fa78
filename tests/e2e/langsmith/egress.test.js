// proxy_config's rules with LangSmith's own SDK: headers that are added on the way out, against real origins with TLS.
// What is added is nowhere in the sandbox.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { LangSmithValidationError, awsAuth, gcpAuth, opaqueSecret, proxyConfig, workspaceSecret } from 'langsmith/sandbox';
import { rejection } from '../support/e2b.js';
import { makeAccount, withSandboxes } from '../support/langsmith.js';
import { outside, startOrigins } from '../support/origins.js';

const bucket = 'bucket.s3.eu-central-1.amazonaws.com';
const origins = await startOrigins({ names: [bucket], addresses: { [bucket]: outside } });
after(() => origins.stop());
const { skip, port } = origins;
const host = withSandboxes({ args: origins.serverArgs });

const rule = (name, match_hosts, headers, more = {}) => ({
  name, match_hosts, headers: Object.entries(headers).map(([header, value]) => (typeof value === 'string' ? { name: header, type: 'plaintext', value } : { name: header, ...value })), ...more,
});
const config = (...rules) => proxyConfig({ rules });
const secure = (path = '/', name = 'api.test') => `https://${name}:${port.tls}${path}`;
const plain = (path = '/', name = 'api.test') => `http://${name}:${port.plain}${path}`;

/** curl in the sandbox: {status, text}; `status` is 0 when there was no answer. */
async function curl(box, url, options = '') {
  const { stdout, stderr } = await box.run(`curl -sS --max-time 60 -w '\\n%{http_code}' ${options} '${url}'`, { timeout: 120 });
  const [, text, status] = /^([^]*)\n(\d+)$/.exec(stdout) ?? assert.fail(stdout + stderr);
  return { status: Number(status), text, stderr };
}
/** What an echo was asked, in the origin's own words. */
async function told(box, url, options) {
  const answer = await curl(box, url, options);
  assert.equal(answer.status, 200, `${url}: ${answer.text} ${answer.stderr}`);
  return JSON.parse(answer.text);
}
const headersOf = async (box, url, options) => (await told(box, url, options)).headers;
const update = (box, proxy) => host.client.updateSandbox(box.name, { proxyConfig: proxy });
const setSecrets = (pairs, key) =>
  host.call('POST', '/workspaces/current/secrets', Object.entries(pairs).map(([one, value]) => ({ key: one, value })), { prefix: '/api/v1', key });

test('a header is added over HTTPS and HTTP, whichever version is spoken', { skip }, async (t) => {
  const box = await host.create(t, { proxyConfig: config(rule('api', ['api.test'], { Authorization: opaqueSecret('Bearer 0paque'), 'X-Team': 'blue' })) });
  for (const [url, options] of [[secure('/one')], [secure('/two'), '--http1.1'], [`https://api.test:${port.http1}/three`], [`https://api.test:${port.http2}/four`], [plain('/five')]]) {
    const { headers } = await told(box, url, options);
    assert.equal(headers.authorization, 'Bearer 0paque', url);
    assert.equal(headers['x-team'], 'blue', url);
  }
  // A host that no rule names is passed through: its own certificate is seen, which this sandbox does not trust.
  assert.equal((await headersOf(box, secure('/', 'other.test'), '-k')).authorization, undefined);
  assert.equal((await curl(box, secure('/', 'other.test'))).status, 0);
  assert.equal((await headersOf(box, plain('/', 'other.test'))).authorization, undefined);
});

test('what a rule sets replaces what the sandbox sent, and nothing else', { skip }, async (t) => {
  const box = await host.create(t, { proxyConfig: config(rule('api', ['api.test'], { authorization: 'ours' })) });
  const said = await told(box, secure('/echo?query=kept'), `-X PUT -d body -H 'AUTHORIZATION: theirs' -H 'Authorization: twice' -H 'X-Own: kept'`);
  assert.equal(said.headers.authorization, 'ours');
  assert.equal(said.headers['x-own'], 'kept');
  assert.deepEqual([said.method, said.url, said.body], ['PUT', '/echo?query=kept', 'body']);
});

test('one host serves two accounts: a placeholder that is sent is swapped for its key', { skip }, async (t) => {
  const swap = (account) => rule(account, ['api.test'], { Authorization: opaqueSecret(`Bearer key-of-${account}`) }, { match_headers: [`authorization: Bearer ${account}`] });
  const box = await host.create(t, { proxyConfig: config(swap('one'), swap('two')) });
  const asking = async (value) => (await headersOf(box, secure('/who'), value && `-H 'Authorization: ${value}'`)).authorization;
  assert.equal(await asking('Bearer one'), 'Bearer key-of-one');
  assert.equal(await asking('Bearer two'), 'Bearer key-of-two');
  assert.equal(await asking('Bearer three'), 'Bearer three');
  assert.equal(await asking('bearer one'), 'bearer one');
  assert.equal(await asking(''), undefined);
  const { proxy_config: shown } = (await host.call('GET', `/boxes/${box.name}`)).body;
  assert.deepEqual(shown.rules[1].match_headers, ['authorization: Bearer two']);
});

test('the first enabled rule for host and path is the one', { skip }, async (t) => {
  const box = await host.create(t, {
    proxyConfig: config(
      rule('off', ['api.test'], { 'X-Rule': 'off' }, { enabled: false }),
      rule('admin', ['api.test'], { 'X-Rule': 'admin', 'X-Admin': 'yes' }, { match_paths: ['/admin/*', '/v*/admin'] }),
      rule('exact', ['api.test'], { 'X-Rule': 'exact' }, { match_paths: ['/exact'] }),
      rule('wild', ['*.api.test'], { 'X-Rule': 'wild' }),
      rule('rest', ['api.test'], { 'X-Rule': 'rest' }),
    ),
  });
  const ruleFor = async (path, name) => (await headersOf(box, secure(path, name), '--path-as-is'))['x-rule'];
  assert.equal(await ruleFor('/admin/users'), 'admin');
  assert.equal(await ruleFor('/v2/admin?path=/x'), 'admin');
  assert.equal(await ruleFor('/exact'), 'exact');
  assert.equal(await ruleFor('/exact/more'), 'rest');
  assert.equal(await ruleFor('/administration'), 'rest');
  assert.equal(await ruleFor('/'), 'rest');
  assert.equal(await ruleFor('/admin/../public'), 'rest', 'a path that leaves /admin/ has not the secret of /admin/');
  assert.equal((await headersOf(box, secure('/other')))['x-admin'], undefined);
  assert.equal(await ruleFor('/', 'sub.api.test'), 'wild');
});

test('a wildcard is for every name below, not for the domain itself', { skip }, async (t) => {
  const box = await host.create(t, { proxyConfig: config(rule('wild', ['*.api.test'], { 'X-Rule': 'wild' })) });
  assert.equal((await headersOf(box, secure('/', 'SUB.api.test')))['x-rule'], 'wild');
  assert.equal((await headersOf(box, plain('/', 'a.b.api.test')))['x-rule'], 'wild');
  assert.equal((await headersOf(box, secure(), '-k'))['x-rule'], undefined);
  assert.equal((await headersOf(box, plain()))['x-rule'], undefined);
});

test('a workspace secret is taken when a request leaves, so a new value holds at once', { skip }, async (t) => {
  const names = { TEAM_KEY: 'k1-0123456789', TEAM_ID: 'id7' };
  assert.equal((await setSecrets(names)).status, 200);
  t.after(() => setSecrets({ TEAM_KEY: null, TEAM_ID: null }));
  const listed = await host.call('GET', '/workspaces/current/secrets', undefined, { prefix: '/api/v1' });
  assert.deepEqual(listed.body, [{ key: 'TEAM_ID' }, { key: 'TEAM_KEY' }]);
  const mixed = { type: 'workspace_secret', value: 'Key {TEAM_KEY}/{TEAM_ID}' };
  const box = await host.create(t, { proxyConfig: config(rule('api', ['api.test'], { 'X-Key': workspaceSecret('TEAM_KEY'), Authorization: mixed })) });
  const first = await headersOf(box, secure());
  assert.deepEqual([first['x-key'], first.authorization], ['k1-0123456789', 'Key k1-0123456789/id7']);
  const shown = await host.call('GET', `/boxes/${box.id}`);
  assert.deepEqual(shown.body.proxy_config.rules[0].headers[0], { name: 'X-Key', type: 'workspace_secret', value: '{TEAM_KEY}' });
  await setSecrets({ TEAM_KEY: 'k2' });
  assert.equal((await headersOf(box, secure())).authorization, 'Key k2/id7');
  // Without it nothing is sent, and who reads the answer knows why.
  await setSecrets({ TEAM_KEY: null });
  const seen = origins.seen.length;
  for (const url of [secure('/missing'), plain('/missing')]) {
    const missing = await curl(box, url);
    assert.equal(missing.status, 502);
    assert.match(missing.text, /TEAM_KEY/i);
    assert.ok(!missing.text.includes('id7'), missing.text);
  }
  assert.equal(origins.seen.length, seen);
  // A value that would be two headers is none.
  await setSecrets({ TEAM_KEY: 'a\r\nX-Other: b' });
  assert.equal((await curl(box, secure('/broken'))).status, 502);
  assert.equal(origins.seen.length, seen);
});

test('secrets of another account are not there', { skip }, async (t) => {
  const other = await makeAccount(host.server, 'other-workspace');
  assert.equal((await setSecrets({ THEIRS: 'their-value' }, other.key)).status, 200);
  const box = await host.create(t, { proxyConfig: config(rule('api', ['api.test'], { Authorization: workspaceSecret('THEIRS') })) });
  assert.equal((await curl(box, secure('/theirs'))).status, 502);
  assert.equal(origins.last('/theirs'), undefined);
});

test('rules are replaced at once, survive stop and start, and an opaque value is never shown again', { skip }, async (t) => {
  const secret = 'Bearer kEpT-0123456789';
  const box = await host.create(t, { name: 'lasting', proxyConfig: config(rule('api', ['api.test'], { Authorization: opaqueSecret(secret) }, { env_vars: { API_TOKEN: 'placeholder' } })) });
  const authorization = async (url = secure()) => (await headersOf(box, url)).authorization;
  assert.equal(await authorization(), secret);
  assert.equal((await box.run('echo $API_TOKEN')).stdout, 'placeholder\n');
  const answers = [JSON.stringify((await host.call('GET', '/boxes/lasting')).body), JSON.stringify((await host.call('GET', '/boxes')).body)];
  for (const answer of answers) assert.ok(!answer.includes('kEpT'), answer);
  // Sent back as it was shown, it stays.
  const { proxy_config: shown } = JSON.parse(answers[0]);
  assert.deepEqual(shown.rules[0].headers, [{ name: 'Authorization', type: 'opaque', is_set: true }]);
  await update(box, shown);
  assert.equal(await authorization(), secret);
  await host.client.stopSandbox('lasting');
  await host.client.startSandbox('lasting', { timeout: 60 });
  assert.equal(await authorization(), secret);
  assert.equal(await authorization(plain()), secret);
  assert.equal((await box.run('echo $API_TOKEN')).stdout, 'placeholder\n');

  await update(box, config(rule('api', ['api.test'], { Authorization: 'second' })));
  assert.equal(await authorization(), 'second');
  assert.equal((await box.run('echo "<$API_TOKEN>"')).stdout, '<>\n');
  await update(box, config(rule('third', ['third.test'], { Authorization: 'third' })));
  assert.equal((await headersOf(box, secure(), '-k')).authorization, undefined);
  assert.equal(await authorization(secure('/', 'third.test')), 'third');
  await update(box, proxyConfig());
  assert.equal((await headersOf(box, plain('/', 'third.test'))).authorization, undefined);
  // While it is stopped they stay as they are.
  await update(box, config(rule('api', ['api.test'], { Authorization: 'kept' })));
  await host.client.stopSandbox('lasting');
  await assert.rejects(update(box, config(rule('api', ['api.test'], { Authorization: 'woken' }))), /not ready/);
  assert.equal(await authorization(), 'kept');
  await update(box, config(rule('api', ['api.test'], { Authorization: 'woken' })));
  assert.equal(await authorization(), 'woken');
});

test('the sandbox holds no secret: not in its variables, files or processes', { skip }, async (t) => {
  const box = await host.create(t, { proxyConfig: config(rule('api', ['api.test'], { Authorization: opaqueSecret('cAnArY-0123456789') }, { env_vars: { API_TOKEN: 'placeholder' } })) });
  assert.equal((await headersOf(box, secure())).authorization, 'cAnArY-0123456789');
  const inside = await box.run(
    `{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; grep -rs 'cAnA[r]Y-' /etc /home /root /run /tmp /var; curl -sv ${secure('/status/204')}; } 2>&1 | tr '\\0' '\\n' | grep -c 'cAnA[r]Y-' || true`,
    { timeout: 120 });
  assert.equal(inside.stdout.trim(), '0');
  assert.ok(!host.server.log.includes('cAnArY-'));
});

test('lists hold for the name that TLS and HTTP ask for, not only for the one that was resolved', { skip }, async (t) => {
  const via = (target, resolved, to) => `--connect-to ${target}:${to}:${resolved}:${to} -k`;
  const allowed = await host.create(t, { proxyConfig: proxyConfig({ accessControl: { allow_list: ['api.test'] } }) });
  assert.equal((await curl(allowed, secure(), '-k')).status, 200);
  assert.equal((await curl(allowed, plain())).status, 200);
  assert.equal((await curl(allowed, secure('/', 'other.test'), via('other.test', 'api.test', port.tls))).status, 0);
  assert.notEqual((await curl(allowed, plain('/hidden'), `-H 'Host: other.test'`)).status, 200);
  assert.equal(origins.last('/hidden'), undefined);
  const denied = await host.create(t, { proxyConfig: proxyConfig({ accessControl: { deny_list: ['other.test'] } }) });
  assert.equal((await curl(denied, secure('/', 'other.test'), via('other.test', 'api.test', port.tls))).status, 0);
  assert.notEqual((await curl(denied, plain('/hidden'), `-H 'Host: other.test'`)).status, 200);
  assert.equal((await curl(denied, secure(), '-k')).status, 200);
  // And together with rules.
  const both = await host.create(t, { proxyConfig: proxyConfig({ rules: [rule('all', ['api.test', 'other.test'], { 'X-Rule': 'yes' })], accessControl: { deny_list: ['other.test'] } }) });
  assert.equal((await headersOf(both, secure()))['x-rule'], 'yes');
  assert.notEqual((await curl(both, secure('/hidden', 'other.test'))).status, 200);
  assert.notEqual((await curl(both, secure('/hidden'), `-H 'Host: other.test'`)).status, 200);
  assert.equal(origins.last('/hidden'), undefined);
});

test('programs of all kinds trust what stands between', { skip }, async (t) => {
  const box = await host.create(t, { proxyConfig: config(rule('api', ['api.test'], { 'X-Rule': 'yes' })) });
  const programs = {
    python: `python3 -c "import json,urllib.request as r; print(json.load(r.urlopen('${secure()}'))['headers']['x-rule'])"`,
    requests: `python3 -c "import requests; print(requests.get('${secure()}').json()['headers']['x-rule'])"`,
  };
  for (const [name, command] of Object.entries(programs)) {
    const { stdout, stderr } = await box.run(command, { timeout: 120 });
    assert.equal(stdout.trim(), 'yes', `${name}: ${stderr}`);
  }
});

/** The signature that a request of this shape has, in AWS's version 4. */
function signatureOf({ method, path, headers, secret }) {
  const [, date, region, service, signed] = /Credential=[^/]+\/(\d+)\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+)/.exec(headers.authorization);
  const canonical = [method, path, '', ...signed.split(';').map((name) => `${name}:${headers[name].trim()}`), '', signed, headers['x-amz-content-sha256']].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce((k, part) => createHmac('sha256', k).update(part).digest(), `AWS4${secret}`);
  return { region, service, signature: createHmac('sha256', key).update(text).digest('hex') };
}

test('requests to AWS are signed, never in the clear, and with a role refused', { skip }, async (t) => {
  const keys = awsAuth({ accessKeyId: opaqueSecret('AKIDEXAMPLE'), secretAccessKey: opaqueSecret('wJalrXUtnFEMI') });
  const box = await host.create(t, { proxyConfig: config(keys) });
  const said = await told(box, secure('/key.txt', bucket), `-H 'Authorization: AWS4-HMAC-SHA256 forged'`);
  const headers = { ...said.headers, host: said.authority };
  assert.match(headers.authorization, /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//);
  const { region, service, signature } = signatureOf({ method: 'GET', path: '/key.txt', headers, secret: 'wJalrXUtnFEMI' });
  assert.deepEqual([region, service], ['eu-central-1', 's3']);
  assert.ok(headers.authorization.endsWith(`Signature=${signature}`), headers.authorization);
  assert.equal((await curl(box, plain('/clear', bucket))).status, 403);
  assert.equal(origins.last('/clear'), undefined);

  const role = await host.create(t, { proxyConfig: config(awsAuth({ roleArn: 'arn:aws:iam::123456789012:role/r' })) });
  const refused = await curl(role, secure('/role', bucket));
  assert.equal(refused.status, 502);
  assert.match(refused.text, /role.*access_key_id/);
  assert.equal((await curl(role, plain('/role', bucket))).status, 403);
  assert.equal(origins.last('/role'), undefined);
});

test('while a rule of a provider is enabled, its SDKs find the variables they need', { skip }, async (t) => {
  const aws = awsAuth({ accessKeyId: opaqueSecret('AKIDEXAMPLE'), secretAccessKey: opaqueSecret('wJalrXUtnFEMI') });
  const gcp = gcpAuth({ serviceAccountJson: opaqueSecret('{}'), scopes: ['s'] });
  const first = rule('first', [bucket], { Authorization: 'not for a host of AWS' });
  const run_config = { env_vars: { AWS_ACCESS_KEY_ID: 'lower', A: 'run', B: 'run' } };
  const made = await host.call('POST', '/boxes', { proxy_config: config(first, aws, gcp), run_config, env_vars: { A: 'box' } });
  const box = host.keep(t, await host.client.getSandbox(made.body.name));
  const variables = async () => Object.fromEntries((await box.run('env')).stdout.split('\n').map((line) => line.split('=')));
  const set = await variables();
  assert.deepEqual([set.A, set.B], ['box', 'run']);
  assert.match(set.AWS_ACCESS_KEY_ID, /^[A-Z0-9]{20}$/);
  assert.equal(set.AWS_SECRET_ACCESS_KEY.length, 40);
  assert.equal(set.AWS_EC2_METADATA_DISABLED, 'true');
  assert.ok(set.CLOUDSDK_AUTH_ACCESS_TOKEN);
  assert.equal(set.CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE, set.AWS_CA_BUNDLE);
  // Signed as an SDK does with what it finds, a request leaves with the real key.
  const said = await headersOf(box, secure('/signed', bucket), '--aws-sigv4 aws:amz:eu-central-1:s3 --user $AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY');
  assert.match(said.authorization, /Credential=AKIDEXAMPLE\//);
  await update(box, config({ ...aws, enabled: false }));
  const left = await variables();
  assert.equal(left.AWS_ACCESS_KEY_ID, 'lower');
  assert.equal(left.AWS_SECRET_ACCESS_KEY ?? left.CLOUDSDK_AUTH_ACCESS_TOKEN, undefined);
  await host.refused(422, undefined, 'POST', '/boxes', { proxy_config: config(aws), env_vars: { AWS_ACCESS_KEY_ID: 'own' } });
});

test('a thousand rules work, ten thousand are refused', { skip }, async (t) => {
  const many = (count) => config(...Array.from({ length: count }, (_, i) => rule(`r${i}`, [`h${i}.api.test`], { 'X-Rule': `r${i}` })));
  const box = await host.create(t, { proxyConfig: many(1000) });
  assert.equal((await headersOf(box, secure('/', 'h999.api.test')))['x-rule'], 'r999');
  const refused = await rejection(update(box, many(10_000)), LangSmithValidationError);
  assert.equal(refused.field, 'rules');
  assert.match(refused.message, /1000/);
  assert.equal((await headersOf(box, plain('/', 'h0.api.test')))['x-rule'], 'r0');
});
