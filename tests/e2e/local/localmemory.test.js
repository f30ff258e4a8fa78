// localmemory: a knowledge graph in a file of JSON lines that others may change at any time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callTool, openLocal } from '../support/local.js';

const file = 'memory/memory.json';
let box;
before(async () => (box = await openLocal(['localmemory', 'code-runner'])));
after(() => box?.close());

const call = async (tool, args) => (await callTool(box, 'localmemory', tool, args)).text;
const entity = (name, observations = []) => ({ name, entityType: 'person', observations });
const shell = (code) => callTool(box, 'code-runner', 'run-code', { languageId: 'shellscript', code });
/** The graph holds `entities` by name and the names of the relations. */
async function expectGraph(text, entities, relations = []) {
  const graph = JSON.parse(text);
  assert.deepEqual(graph.entities.map((one) => one.name), entities);
  assert.deepEqual(graph.relations.map((one) => `${one.from} ${one.relationType} ${one.to}`), relations);
  for (const one of graph.entities) assert.equal(one.type, 'entity');
}

test('keeps a graph, adds to it, finds in it and takes from it', async () => {
  assert.equal(await call('read_graph'), JSON.stringify({ entities: [], relations: [] }, null, 2));
  assert.equal(await call('create_entities', { entities: [entity('Ada', ['likes Tea'])] }), JSON.stringify([entity('Ada', ['likes Tea'])], null, 2));
  assert.equal(await call('create_entities', { entities: [entity('Ada'), entity('Bob')] }), JSON.stringify([entity('Bob')], null, 2));
  const knows = { from: 'Ada', to: 'Bob', relationType: 'knows' };
  assert.equal(await call('create_relations', { relations: [knows, { ...knows, to: 'Zoe' }] }), JSON.stringify([knows, { ...knows, to: 'Zoe' }], null, 2));
  assert.equal(await call('create_relations', { relations: [knows] }), '[]');
  assert.equal(
    await call('add_observations', { observations: [{ entityName: 'Ada', contents: ['likes Tea', 'sings'] }] }),
    JSON.stringify([{ entityName: 'Ada', addedObservations: ['sings'] }], null, 2),
  );
  await expectGraph(await call('read_graph'), ['Ada', 'Bob'], ['Ada knows Bob', 'Ada knows Zoe']);
  await expectGraph(await call('search_nodes', { query: 'TEA' }), ['Ada']);
  await expectGraph(await call('open_nodes', { names: ['Bob', 'Ada', 'no'] }), ['Ada', 'Bob'], ['Ada knows Bob']);
  const lines = (await box.read(file)).toString().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(lines.map((line) => line.type), ['entity', 'entity', 'relation', 'relation']);
  assert.equal(await call('delete_observations', { deletions: [{ entityName: 'Ada', observations: ['sings'] }] }), 'Observations deleted successfully');
  assert.equal(await call('delete_relations', { relations: [knows, knows] }), 'Relations deleted successfully');
  assert.equal(await call('delete_entities', { entityNames: ['Bob', 'no'] }), 'Entities deleted successfully');
  const left = JSON.parse(await call('read_graph'));
  assert.deepEqual(left.entities, [{ type: 'entity', ...entity('Ada', ['likes Tea']) }]);
  assert.equal(left.relations.length, 1);
});

test('sees what others wrote, and keeps lines it does not know', async () => {
  const note = '{"type":"note","text":"ours"}';
  await box.write(file, `{"type":"entity","name":"New","entityType":"t","observations":[]}\n${note}\n`);
  await expectGraph(await call('read_graph'), ['New']);
  await call('create_entities', { entities: [entity('Eve')] });
  assert.ok((await box.read(file)).toString().endsWith(note));
});

test('fails calls that cannot be answered, and changes nothing then', async () => {
  const before = (await box.read(file)).toString();
  const cases = [
    ['add_observations', { observations: [{ entityName: 'New', contents: ['x'] }, { entityName: 'no', contents: [] }] }, /^MCP error -32603: Entity with name no not found$/],
    ['create_entities', {}, /^MCP error -32603: Invalid arguments for create_entities: 'entities' is a required property$/],
    ['create_entities', { entities: [{ name: 'x' }] }, /^MCP error -32603: Invalid arguments for create_entities: /],
    ['create_relations', { relations: 'x' }, /Invalid arguments for create_relations/],
    ['delete_entities', { entityNames: [5] }, /Invalid arguments for delete_entities/],
    ['delete_observations', { deletions: [{}] }, /Invalid arguments for delete_observations/],
    ['delete_relations', {}, /Invalid arguments for delete_relations/],
    ['search_nodes', { query: null }, /Invalid arguments for search_nodes/],
    ['open_nodes', {}, /Invalid arguments for open_nodes/],
    ['no_such_tool', {}, /^MCP error -32603: Unknown tool: no_such_tool$/],
  ];
  for (const [tool, args, message] of cases) await assert.rejects(call(tool, args), { message }, tool);
  assert.equal((await box.read(file)).toString(), before);
});

test('a broken file is reported with its line and lost by nobody', async () => {
  const broken = '{"type":"entity","name":"Kept","entityType":"t","observations":[]}\n{"type": "ent\n';
  await box.write(file, broken);
  const message = /^MCP error -32603: Cannot read the memory file .*memory\.json: line 2 is not a JSON object: .*nothing was changed$/;
  await assert.rejects(call('read_graph'), { message });
  await assert.rejects(call('create_entities', { entities: [entity('X')] }), { message });
  await assert.rejects(call('delete_entities', { entityNames: ['Kept'] }), { message });
  assert.equal((await box.read(file)).toString(), broken);
  await box.write(file, '');
});

test('calls at the same time lose nothing', async () => {
  await Promise.all(Array.from({ length: 30 }, (_, i) => call('create_entities', { entities: [entity(`at-once-${i}`)] })));
  assert.equal(JSON.parse(await call('read_graph')).entities.length, 30);
});

test('links and pipes in place of its file lead nowhere', async () => {
  await shell('rm -rf memory && mkdir memory && ln -s /etc/passwd memory/memory.json');
  await assert.rejects(call('read_graph'), { message: /Cannot read the memory file/ });
  await assert.rejects(call('create_entities', { entities: [] }), { message: /Cannot (read|change) the memory file/ });
  await shell('rm memory/memory.json && mkfifo memory/memory.json');
  await assert.rejects(call('read_graph'), { message: /is not a regular file$/ });
  await shell('rm -rf memory && ln -s /tmp memory');
  await assert.rejects(call('create_entities', { entities: [] }), { message: /Cannot change the memory file/ });
  await shell('rm memory');
});

test('the MCP_Atlas profile has its file elsewhere', async () => {
  const atlas = await openLocal(['localmemory'], { benchmark: 'MCP_Atlas' });
  try {
    await callTool(atlas, 'localmemory', 'create_entities', { entities: [entity('Elsewhere')] });
    assert.match((await atlas.read('repos/memory_mcp_server/memories-for-mcp.json')).toString(), /"Elsewhere"/);
  } finally {
    await atlas.close();
  }
});
