// Every local server offers exactly the tools that its clients know: names, argument schemas and hints as in the catalogue.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { catalogue, plain, present } from '../support/catalogue.js';
import { openLocal } from '../support/local.js';

const servers = ['code-executor', 'code-runner', 'desktop-commander', 'excel', 'filesystem', 'git', 'localmemory', 'pdf-tools', 'terminal'];

let box;
before(async () => (box = await openLocal('ALL')));
after(() => box.close());

test('ALL is every server there is', { skip: Boolean(process.env.VIV_TOOLS_STDIO) }, () => {
  assert.deepEqual(Object.keys(box.urls).sort(), servers);
});

for (const name of servers) {
  test(`${name} says of each tool what it is for`, async () => {
    const { tools } = await (await box.client(name)).listTools();
    assert.ok(tools.length > 0);
    for (const tool of tools) assert.ok(tool.description.length > 10, tool.name);
  });
}

test("every server lists the catalogue's tools", { skip: present ? false : 'no catalogue beside the project' }, async () => {
  const shape = (tool) => [tool.name, plain(tool.inputSchema ?? tool.input_schema), tool.annotations ?? {}, plain(tool.outputSchema ?? tool.output_schema ?? {})];
  for (const name of servers) {
    const wanted = JSON.parse(readFileSync(join(catalogue, 'local', `${name}.json`))).tools;
    const { tools } = await (await box.client(name)).listTools();
    assert.deepEqual(tools.map(shape), wanted.map(shape), name);
  }
});
