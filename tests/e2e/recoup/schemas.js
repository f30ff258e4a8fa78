// The answers of Recoup's sandbox API as its published description has them, for a validator. Nothing beyond what is
// described may appear, so that a misspelt field is found.
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const text = { type: 'string' };
const time = { type: 'string', format: 'date-time' };
const whole = { type: 'integer' };
const orNull = (schema) => ({ anyOf: [schema, { type: 'null' }] });
const listOf = (items) => ({ type: 'array', items });
const only = (...values) => ({ enum: values });

/** An object with these members, all needed but those whose name ends in '?'. */
const object = (members) => {
  const entries = Object.entries(members);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, schema]) => [name.replace('?', ''), schema])),
    required: entries.filter(([name]) => !name.endsWith('?')).map(([name]) => name),
    additionalProperties: false,
  };
};

const sandbox = object({
  sandboxId: { type: 'string', pattern: '^sbx_[a-z0-9]+$' },
  sandboxStatus: only('pending', 'running', 'stopping', 'stopped', 'failed'),
  timeout: { type: 'integer', minimum: 0 },
  createdAt: time,
  'runId?': text,
});

const treeEntry = object({ path: text, type: only('blob', 'tree'), sha: text, 'size?': whole });

const row = object({
  account_id: { type: 'string', format: 'uuid' },
  snapshot_id: orNull(text),
  expires_at: orNull(time),
  github_repo: orNull(text),
  created_at: orNull(time),
});

const runStates = ['PENDING_VERSION', 'DELAYED', 'QUEUED', 'EXECUTING', 'REATTEMPTING', 'FROZEN', 'COMPLETED', 'CANCELED', 'FAILED', 'CRASHED', 'INTERRUPTED', 'SYSTEM_FAILURE'];
const listedRun = {
  id: { type: 'string', pattern: '^run_' },
  status: only(...runStates),
  taskIdentifier: text,
  createdAt: time,
  updatedAt: time,
  'startedAt?': orNull(time),
  'finishedAt?': orNull(time),
  'tags?': listOf(text),
  'metadata?': { type: ['object', 'null'] },
  'durationMs?': { type: 'number' },
  'costInCents?': { type: 'number' },
};
const wholeRun = {
  ...listedRun,
  payload: {},
  output: {},
  error: orNull(object({ message: text, 'name?': text, 'stackTrace?': text })),
  attempts: listOf({ type: 'object' }),
};

const lifecycle = object({
  serverTime: whole,
  state: only('provisioning', 'active', 'hibernating', 'hibernated', 'restoring', 'archived', 'failed', null),
  lastActivityAt: orNull(whole),
  hibernateAfter: orNull(whole),
  sandboxExpiresAt: orNull(whole),
});

const schemas = {
  list: object({
    status: only('success'),
    sandboxes: listOf(sandbox),
    snapshot_id: orNull(text),
    github_repo: orNull(text),
    filetree: orNull(listOf(treeEntry)),
  }),
  created: object({ status: only('success'), sandboxes: { ...listOf(sandbox), minItems: 1, maxItems: 1 } }),
  row,
  rowOrNull: orNull(row),
  deleted: object({ status: only('success'), deleted_snapshot: orNull(row) }),
  setup: object({ status: only('success'), runId: { type: 'string', pattern: '^run_' } }),
  file: object({ status: only('success'), content: text, 'encoding?': only('base64') }),
  files: object({ status: only('success'), uploaded: listOf(object({ path: text, sha: text })), 'errors?': listOf(text) }),
  run: object({ status: only('success'), runs: { ...listOf(object(wholeRun)), minItems: 1, maxItems: 1 } }),
  runs: object({ status: only('success'), runs: listOf(object(listedRun)) }),
  session: object({ createdAt: whole, timeout: whole, currentBranch: text, mode: only('vercel'), timing: object({ readyMs: whole }) }),
  sessionStatus: object({ status: only('active', 'no_sandbox'), hasSnapshot: { type: 'boolean' }, lifecycleVersion: whole, lifecycle }),
  reconnect: object({ status: only('connected', 'expired', 'no_sandbox'), hasSnapshot: { type: 'boolean' }, 'expiresAt?': whole, lifecycle }),
  error: object({ status: only('error'), error: text, 'missing_fields?': listOf(text), 'errors?': listOf(text) }),
  rejected: object({ status: only('error'), error: text, message: text }),
};

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
addFormats(ajv);

/** Throws with what is wrong unless `value` is what the answer `name` has to be. */
const validators = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));
export function check(name, value) {
  const validate = validators[name];
  if (!validate(value)) throw new Error(`not a valid ${name}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value, null, 2)}`);
  return value;
}
