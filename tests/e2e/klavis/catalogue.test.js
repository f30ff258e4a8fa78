// Every app offers exactly the tools that its clients know: names and argument schemas as in the catalogue, where that is present.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Server } from '../support/server.js';
import { withClient } from '../support/mcp.js';

const catalogue = join(dirname(fileURLToPath(import.meta.url)), '../../../../shared/catalog');
const present = existsSync(catalogue);

/** A schema without its prose, with required names in one order. */
function plain(schema) {
  if (Array.isArray(schema)) return schema.map(plain);
  if (schema === null || typeof schema !== 'object') return schema;
  const out = {};
  for (const key of Object.keys(schema).sort()) {
    if ((key === 'description' || key === 'title') && typeof schema[key] === 'string') continue;
    out[key] = key === 'required' && Array.isArray(schema[key]) ? [...schema[key]].sort() : plain(schema[key]);
  }
  return out;
}

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
