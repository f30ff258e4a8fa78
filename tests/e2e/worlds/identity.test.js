// An agent acts as the sandbox's own person and as nobody else, whatever arguments it sends.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../support/server.js';
import { call, withClient } from '../support/mcp.js';

let server;
before(async () => (server = await Server.start()));
after(() => server.stop());

const diff = async (id) => (await server.call('GET', `/api/viv/worlds/${id}/diff`)).body.tables;

test('Slack: nobody posts, reads or reacts as another user', async () => {
  const { sandbox_id, server_url } = await server.acquire('slack');
  await withClient(server_url, async (client) => {
    await call(client, 'slack_user_post_message', { channel_id: 'C01GENERAL', text: 'who wrote this', me_id: 'U02OMAR', me_name: 'omar', actor: 'U02OMAR' });
    // A private channel that the signed-in user is no member of.
    await assert.rejects(call(client, 'slack_get_channel_history', { channel_id: 'C14PEOPLE', me_id: 'U12AISHA' }));
    await assert.rejects(call(client, 'slack_user_post_message', { channel_id: 'C14PEOPLE', text: 'x', me_id: 'U12AISHA' }));
    const seen = JSON.stringify(await call(client, 'slack_user_list_channels', { me_id: 'U12AISHA' }));
    assert.ok(!seen.includes('people-confidential'));
  });
  const { message } = await diff(sandbox_id);
  assert.deepEqual(message.inserted.map((row) => [row.text, row.user_id]), [['who wrote this', 'U01MAYA']]);
});

test('Gmail: a mail is from the signed-in person', async () => {
  const { sandbox_id, server_url } = await server.acquire('gmail');
  await withClient(server_url, (client) =>
    call(client, 'gmail_send_email', {
      to: ['omar.haddad@acme-robotics.test'], subject: 'who sent this', body: 'x',
      me_email: 'aisha.bello@acme-robotics.test', me_name: 'Aisha Bello', me_id: 'aisha.bello',
    }));
  const changed = await diff(sandbox_id);
  const from = changed.participant.inserted.filter((row) => row.role === 'from');
  assert.equal(from.length, 1);
  assert.match(from[0].address, /^maya\.chen@/);
  assert.ok(!JSON.stringify(changed).includes('aisha'));
});

test('GitHub: nobody reviews as another user, and odd values for a name of the engine change nothing', async () => {
  const { sandbox_id, server_url } = await server.acquire('github');
  await withClient(server_url, async (client) => {
    const mine = await call(client, 'github_get_me');
    for (const me_id of [true, null, 1, '1', [], {}]) assert.deepEqual(await call(client, 'github_get_me', { me_id }), mine);
    assert.deepEqual(await call(client, 'github_get_me', { args: '{}', me_login: 'nobody', changes: 1, message: 'x' }), mine);
    await call(client, 'github_create_pull_request_review', {
      owner: 'acme-robotics', repo: 'arm-firmware', pullNumber: 45, event: 'APPROVE', body: 'who reviewed this', me_id: 1, me_login: 'octocat',
    });
  });
  const { review } = await diff(sandbox_id);
  assert.deepEqual(review.inserted.map((row) => row.author_id), [10318842]);
});
