// Every app offers exactly the tools that its clients know: names and argument schemas as in the catalogue, where that is present.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { catalogue, plain, present } from '../support/catalogue.js';
import { Server } from '../support/server.js';
import { withClient } from '../support/mcp.js';

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

test('tools/list equals the catalogue for every app and benchmark', { skip: present ? false : 'no catalogue beside the project' }, async () => {
  const { apps } = (await server.call('GET', '/api/viv/apps')).body;
  assert.ok(apps.length >= 8);
  for (const { name } of apps) {
    const files = [[undefined, `${name}.json`]];
    for (const file of readdirSync(join(catalogue, 'variants'))) {
      if (file.startsWith(`${name}.`)) files.push([file.split('.').at(-2), `variants/${file}`]);
    }
    for (const [benchmark, file] of files) {
      const wanted = JSON.parse(readFileSync(join(catalogue, file))).tools;
      const { server_url } = await server.acquire(name, benchmark ? { benchmark } : {});
      const { tools } = await withClient(server_url, (client) => client.listTools());
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      for (const tool of wanted) {
        assert.ok(byName.has(tool.name), `${file}: ${tool.name} is missing`);
        const schema = { properties: {}, ...tool.input_schema };
        assert.deepEqual(plain(byName.get(tool.name).inputSchema), plain(schema), `${file}: ${tool.name}`);
        assert.ok(byName.get(tool.name).description.length > 10, `${file}: ${tool.name} has no description`);
      }
    }
  }
});
