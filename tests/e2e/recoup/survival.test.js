// The server is killed while a command runs; the command is not, and the next server has its result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sdkOf, until } from '../support/e2b.js';
import { Recoup, boxIdOf } from '../support/recoup.js';
import { Server } from '../support/server.js';

test('a run survives kill -9 of the server, with all of its output', async (t) => {
  const server = await Server.start({ boxes: true });
  t.after(() => server.stop());
  let recoup = new Recoup(server);
  // It writes more than the server may leave unacknowledged, then waits for the restart.
  const command = 'echo first; seq 1 300000 >&2; touch /tmp/written; until [ -e /tmp/go ]; do sleep 0.05; done; echo last; exit 5';
  const sandbox = await recoup.create({ command });
  const quiet = await recoup.create({ command: 'echo $$ >> /tmp/starts; sleep 2; cat /tmp/starts | wc -l' });
  const sdk = sdkOf(server).Sandbox;
  const box = await sdk.connect(boxIdOf(sandbox));
  await until(() => box.files.exists('/tmp/written'), 'the output');
  assert.equal((await recoup.run(sandbox.runId)).status, 'EXECUTING');

  await server.crashAndRestart();
  recoup = new Recoup(server);
  assert.equal((await recoup.run(sandbox.runId)).status, 'EXECUTING');
  const again = await sdkOf(server).Sandbox.connect(boxIdOf(sandbox));
  await again.files.write('/tmp/go', '');
  const run = await recoup.ended(sandbox.runId);
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run.error));
  assert.equal(run.output.exitCode, 5);
  assert.equal(run.output.stdout, 'first\nlast\n');
  assert.ok(run.output.stderr.endsWith('\n299999\n300000\n'));
  assert.equal((await recoup.ended(quiet.runId)).output.stdout.trim(), '1', 'a command is begun once');

  // Killed between request and run: the run is on record, so it is carried out.
  const quick = await recoup.create({ command: 'echo after all' });
  await server.crashAndRestart();
  const late = await new Recoup(server).ended(quick.runId);
  assert.deepEqual([late.status, late.output.stdout], ['COMPLETED', 'after all\n']);
});
