// A user's own server that tells which headers a request of a sandbox shall have, as LangSmith's callbacks ask one; and
// the check of the token that each question carries.
import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createServer } from 'node:http';

/**
 * `answer(response, question)` answers, by default with `{headers}`. `asked` has every question: {method, path, headers,
 * text, body}.
 */
export async function startCallback(answer) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const question = { method: request.method, path: request.url, headers: request.headers, text, body: JSON.parse(text || 'null') };
    asked.push(question);
    await answer(response, question);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    asked,
    url: (path = '/') => `http://127.0.0.1:${server.address().port}${path}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const giving = (headers) => (response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ headers }));
};

const decoded = (part) => JSON.parse(Buffer.from(part, 'base64url').toString());

/** The claims of a question's token, whose signature, times and body are checked with what the server publishes. */
export async function verified(question, serverUrl) {
  const [head, claims, signature, ...rest] = question.headers['x-langsmith-signature-jwt'].split('.');
  assert.deepEqual(rest, []);
  const { alg, kid } = decoded(head);
  assert.equal(alg, 'EdDSA');
  const { keys } = await (await fetch(`${serverUrl}/.well-known/jwks.json`)).json();
  const jwk = keys.find((one) => one.kid === kid) ?? assert.fail(`no key ${kid} is published`);
  assert.equal(jwk.d, undefined, 'the private key is published');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const signed = (text) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  assert.ok(signed(`${head}.${claims}`), 'the signature is not that of the published key');
  assert.ok(!signed(`${head}.${claims}x`));
  const said = decoded(claims);
  assert.equal(said.body_sha256, createHash('sha256').update(question.text).digest('hex'));
  const now = Date.now() / 1000;
  assert.ok(said.nbf <= now + 1 && said.iat <= now + 1 && said.exp > now, JSON.stringify(said));
  assert.equal(said.exp - said.iat, 300);
  return said;
}
