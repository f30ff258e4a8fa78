// Rules that change while a box uses them: what is under way ends as it began, what comes next follows the new ones.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { withBoxes } from '../support/e2b.js';
import { ask, injecting } from '../support/egress.js';
import { startOrigins } from '../support/origins.js';

const origins = await startOrigins();
after(() => origins.stop());
const host = withBoxes({ args: origins.serverArgs });
const { skip, port } = origins;

/** An answer in the middle: `rest()` lets it end, and gives curl's own code and what came. */
async function streaming(box, name, flag, where = `https://api.test:${port.tls}`) {
  let heard;
  const begun = new Promise((done) => (heard = done));
  let text = '';
  const command = await box.commands.run(`curl -sSN ${flag} '${where}/steps?name=${name}&count=3'`, {
    background: true, timeoutMs: 60_000, onStdout: (piece) => { text += piece; heard(); },
  });
  await begun;
  return async () => {
    for (let left = 2; left > 0; left--) origins.ring(name);
    const { exitCode } = await command.wait().catch((error) => error);
    return [exitCode, text.match(/step \d/g)];
  };
}

test('a change of the rules breaks no answer that is under way', { skip }, async (t) => {
  const box = await host.create(t, { network: injecting(['api.test'], 'one') });
  const changes = {
    same: injecting(['api.test'], 'one'),
    value: injecting(['api.test'], 'two'),
    more: injecting(['api.test', 'third.test'], 'three'),
    list: { ...injecting(['api.test'], 'four'), denyOut: ['9.9.9.9'] },
    none: {},
  };
  for (const [name, change] of Object.entries(changes)) {
    await box.updateNetwork(changes.same);
    const open = await Promise.all([['a', '--http1.1'], ['b', '--http2'], ['c', '', `http://api.test:${port.plain}`]].map(([mark, flag, where]) =>
      streaming(box, `${name}-${mark}`, flag, where)));
    await box.updateNetwork(change);
    for (const rest of open) assert.deepEqual(await rest(), [0, ['step 0', 'step 1', 'step 2']], name);
    const { headers } = await ask(box, `https://api.test:${port.tls}/`, '-k');
    assert.equal(headers.authorization, change.rules?.['api.test'][0].transform.headers.Authorization, name);
  }
});

test('a connection that is kept follows each change, also when there were no rules in between', { skip }, async (t) => {
  const box = await host.create(t, { network: injecting(['api.test'], 'one') });
  let answered;
  const command = await box.commands.run(`python3 -c "
import http.client, json, sys
connection = http.client.HTTPSConnection('api.test', ${port.tls})
connection.connect()
first = connection.sock
for line in sys.stdin:
    connection.request('GET', '/')
    print(json.loads(connection.getresponse().read())['headers'].get('authorization'), connection.sock is first, flush=True)
"`, { background: true, stdin: true, timeoutMs: 60_000, onStdout: (text) => answered(text.trim()) });
  const next = async () => {
    const answer = new Promise((done) => (answered = done));
    await command.sendStdin('go\n');
    return answer;
  };
  assert.equal(await next(), 'one True');
  for (const [network, sent] of [[injecting(['api.test'], 'two'), 'two'], [{}, 'None'], [{}, 'None'], [injecting(['api.test'], 'three'), 'three']]) {
    await box.updateNetwork(network);
    assert.equal(await next(), `${sent} True`);
  }
  await command.kill();
});

test('a change that forbids a host cuts it at once', { skip }, async (t) => {
  const box = await host.create(t, { network: injecting(['api.test'], 'one') });
  const rest = await streaming(box, 'forbidden', '--http1.1');
  await box.updateNetwork({ ...injecting(['api.test'], 'one'), denyOut: ({ allTraffic }) => [allTraffic] });
  const [code, steps] = await rest();
  assert.notEqual(code, 0);
  assert.deepEqual(steps, ['step 0']);
});
