// Recoup's REST API on a server of ours with boxes. Every answer is held against the published description.
import assert from 'node:assert/strict';
import { check } from '../recoup/schemas.js';
import { until } from './e2b.js';

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS, PATCH',
  'access-control-allow-headers': 'Content-Type, Authorization, X-Requested-With, x-api-key',
};

export class Recoup {
  constructor(server, key = server.key) {
    Object.assign(this, { server, key });
  }

  /** Any call: { status, body, headers }. */
  async call(method, path, json, { raw, headers = { 'x-api-key': this.key } } = {}) {
    const answer = await this.server.call(method, path, { json, raw, headers: { 'Content-Type': 'application/json', ...headers } });
    for (const [name, value] of Object.entries(corsHeaders)) assert.equal(answer.headers.get(name), value, `${method} ${path}: ${name}`);
    return answer;
  }

  /** A call that succeeds with an answer of this schema. */
  async ok(schema, method, path, json, options) {
    const { status, body } = await this.call(method, path, json, options);
    assert.equal(status, 200, `${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return check(schema, body);
  }

  /** A call that is refused with this status: its body. */
  async refused(status, method, path, json, options) {
    const answer = await this.call(method, path, json, options);
    assert.equal(answer.status, status, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return check('error', answer.body);
  }

  list(query = '') {
    return this.ok('list', 'GET', `/api/sandboxes${query}`);
  }

  async create(json = {}) {
    return (await this.ok('created', 'POST', '/api/sandboxes', json)).sandboxes[0];
  }

  async run(id) {
    return (await this.ok('run', 'GET', `/api/tasks/runs?runId=${id}`)).runs[0];
  }

  /** The run once it is over. */
  ended(id) {
    return until(async () => {
      const run = await this.run(id);
      return ['QUEUED', 'EXECUTING'].includes(run.status) ? null : run;
    }, `the end of ${id}`);
  }
}

/** The id that E2B's clients know a sandbox by. */
export const boxIdOf = (sandbox) => `i${sandbox.sandboxId.slice('sbx_'.length)}`;
