// The catalogue of tool names and argument schemas, where it lies beside the project.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const catalogue = join(dirname(fileURLToPath(import.meta.url)), '../../../../shared/catalog');
export const present = existsSync(catalogue);

/** A schema without its prose, with required names in one order. */
export function plain(schema) {
  if (Array.isArray(schema)) return schema.map(plain);
  if (schema === null || typeof schema !== 'object') return schema;
  const out = {};
  for (const key of Object.keys(schema).sort()) {
    if ((key === 'description' || key === 'title') && typeof schema[key] === 'string') continue;
    out[key] = key === 'required' && Array.isArray(schema[key]) ? [...schema[key]].sort() : plain(schema[key]);
  }
  return out;
}
