// viv down: ends all boxes, with a server and without one.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Server, program } from '../support/server.js';

const data = mkdtempSync(join(tmpdir(), 'viv-down-'));
after(() => rmSync(data, { recursive: true, force: true }));

const viv = (...args) =>
  new Promise((done) => {
    const child = execFile(program, args, { env: { ...process.env, VIV_API_KEY: '', VIV_DATA: '' } }, (error, out, err) => done({ code: error ? (error.code ?? 1) : 0, out, err }));
    child.stdin.end();
  });
const create = async (server) => {
  const { status, body } = await server.call('POST', '/v2/sandboxes', { json: { templateID: 'base', timeout: 600 } });
  assert.equal(status, 201, JSON.stringify(body));
  return body.sandboxID;
};
/** Processes that have this text in their environment. */
const alive = (text) =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });

test('boxes that live on after their server are named when it stops, and ended by viv down', async () => {
  const server = await Server.start({ data, boxes: 'keep', args: ['--parked', '0'] });
  let said = '';
  server.process.stdout.on('data', (chunk) => (said += chunk));
  const id = await create(server);
  const marker = `VIV_DOWN_TEST=${crypto.randomUUID()}`;
  const sleeping = await new Promise((done) => {
    const child = execFile(program, ['exec', '--env', marker, '--url', server.url, '--data', data, id, '--', 'sh', '-c', 'setsid sleep 10000 > /dev/null 2>&1 & echo started'], (error, out, err) => done({ error, out, err }));
    child.stdin.end();
  });
  assert.equal(sleeping.out, 'started\n', sleeping.err);
  await server.stop();
  assert.match(said, /1 box keeps running: .*`viv down --data /);
  assert.ok(said.includes(data));
  assert.equal(alive(marker).length > 0, true, 'the box goes on');

  const asked = await viv('down', '--data', data);
  assert.equal(asked.code, 1);
  assert.match(asked.err, /--yes/);
  assert.equal(alive(marker).length > 0, true, 'nothing ended without a yes');

  const ended = await viv('down', '--data', data, '--yes', '--json');
  assert.equal(ended.code, 0, ended.err);
  assert.deepEqual(JSON.parse(ended.out).boxes.map((box) => box.id), [id]);
  assert.deepEqual(alive(marker), []);
  const again = await viv('down', '--data', data, '--yes');
  assert.equal(again.code, 0, again.err);
  assert.match(again.out, /There are no boxes/);

  const next = await Server.start({ data, boxes: true, args: ['--parked', '0'] });
  try {
    assert.deepEqual((await next.call('GET', '/v2/sandboxes')).body, []);
  } finally {
    await next.stop();
  }
});

test('with a server that runs they end through it, and only the operator may', async () => {
  const server = await Server.start({ data, boxes: true, args: ['--parked', '0'] });
  try {
    const first = await create(server);
    const made = await server.call('POST', '/api/viv/accounts', { json: { name: 'somebody' } });
    const headers = { Authorization: `Bearer ${made.body.key}`, 'Content-Type': 'application/json' };
    const second = await server.call('POST', '/v2/sandboxes', { json: { templateID: 'base', timeout: 600 }, headers });
    assert.equal(second.status, 201);
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await server.call(method, '/api/viv/boxes', { headers })).status, 403);
      assert.equal((await server.call(method, '/api/viv/boxes', { headers: {} })).status, 401);
    }
    assert.equal((await server.call('GET', '/api/viv/boxes')).body.boxes.length, 2);
    const ended = await viv('down', '--data', data, '--url', server.url, '--yes');
    assert.equal(ended.code, 0, ended.err);
    assert.deepEqual(ended.out.trim().split('\n').sort(), [`ended ${first}`, `ended ${second.body.sandboxID}`].sort());
    assert.deepEqual((await server.call('GET', '/api/viv/boxes')).body.boxes, []);
  } finally {
    await server.stop();
  }
});

test('a data folder that was never used has none', async () => {
  const none = await viv('down', '--data', join(data, 'nowhere'));
  assert.equal(none.code, 0);
  assert.match(none.out, /There are no boxes/);
});
