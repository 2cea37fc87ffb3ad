/**
 * People of a Linux group of a real server (`kind: People`): a dozen accounts that nobody wrote a document for. They are persons while they are in the
 * group, by the server's own word; a word that can't be had changes nothing.
 *
 * @module-tag carries-state
 */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startIdentityProvider } from '../../api/testing/identity-provider.ts';
import { navigation, type Browser } from '../../api/testing/portal-world.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { until } from '../support/portal.ts';
import { passwd, type TestAccount } from '../support/sshd.ts';
import { createSshWorld, type SshWorld } from './world.ts';

const password = 'canary of a group 5d21';
const id = randomBytes(3).toString('hex');
const [group, admins] = [`svcg${id}`, `svca${id}`];
const list = 'People/alunos';
/** Members of the group that could sign in. */
const count = 12;

let world: SshWorld;
let members: readonly TestAccount[] = [];
/** In the group, and nobody who could sign in. */
let locked: TestAccount;

beforeAll(async () => {
  world = await createSshWorld({ accounts: count + 2, written: 1, apps: ['notas'], password, passwords: true });
  const [, last, ...others] = world.sshd.accounts;
  if (last === undefined) throw new Error('no accounts');
  locked = last;
  members = others;
  await passwd('usermod', ['-s', '/usr/sbin/nologin', locked.name]);
  for (const one of [group, admins]) await passwd('groupadd', [one]);
  // A member has it as the primary group only.
  const primary = member(members.length - 1);
  await passwd('usermod', ['-g', group, primary.name]);
  await inGroup([...members.filter((each) => each !== primary), locked, written()]);
}, 120_000);
afterAll(async () => {
  await world?.stop();
  for (const one of [group, admins]) await passwd('groupdel', [one]).catch(() => undefined);
}, 120_000);

/** p0 has a document of their own. */
function written(): TestAccount {
  const [p0] = world.people;
  if (p0 === undefined) throw new Error('nobody here');
  return p0.account;
}
function member(at: number): TestAccount {
  const found = members[at];
  if (found === undefined) throw new Error(`no member ${at}`);
  return found;
}

const inGroup = (accounts: readonly TestAccount[]): Promise<void> =>
  passwd('gpasswd', ['-M', accounts.map(({ name }) => name).join(','), group]);

const persons = async (): Promise<readonly string[]> => {
  const { body } = await world.admin('GET', '/api/admin/objects?prefix=Person/');
  return (body as readonly ObjectView[]).filter(({ state }) => state !== 'leaving').map(({ key }) => key.slice('Person/'.length));
};
const signIn = async ({ name }: TestAccount): Promise<Browser> => {
  const browser = world.browser();
  const answer = await browser.call('POST', '/api/sessao', { login: name, senha: password });
  expect([answer.status, answer.json()]).toMatchObject([
    200,
    { usuario: name, login: name, nome: expect.stringMatching(/^svc-test of pid/) },
  ]);
  return browser;
};
const who = async (browser: Browser): Promise<unknown> => (await browser.call('GET', '/api/sessao')).json()?.usuario;

test('the people of a group appear; whoever has a document, or lets nobody in, is told and not made', async () => {
  const text = await readFile(world.file, 'utf8');
  const more = `---\napiVersion: svc/v1\nkind: People\nmetadata: { name: alunos }\nspec: { server: sirius, group: ${group} }\n`;
  await writeFile(world.file, text.replace('spec: { repository', `spec: { admins: { groups: [${admins}] }, repository`) + more);
  const { message, details } = await world.whenState(list, 'listed');
  expect(message).toContain(`${count} people; left out: `);
  expect(details).toMatchObject({ group, people: count });
  expect((details['leftOut'] as readonly string[]).toSorted()).toEqual(
    [`${locked.name}: its shell lets nobody in (/usr/sbin/nologin)`, `${written().name}: Person/p0 says who that is`].toSorted(),
  );
  expect((await persons()).toSorted()).toEqual(['p0', ...members.map(({ name }) => name)].toSorted());
  const why = await world.admin('GET', `/api/admin/why?key=${encodeURIComponent(list)}`);
  expect(JSON.stringify(why.body)).toContain(`it is known who its people are: ${count} people`);
});

test('one signs in with the Linux password and has an app; out of the group they are signed out and it is stopped within a round', async () => {
  const [one, other] = [await signIn(member(0)), await signIn(member(1))];
  await world.order(member(0).name, 'start', 'notas');
  await world.whenState(`Backend/${member(0).name}/notas`, 'running');
  expect(world.backends('notas', member(0))).toHaveLength(1);
  await passwd('gpasswd', ['-d', member(0).name, group]);
  await world.pass(list);
  await until('the session to end', async () => (await who(one)) === undefined);
  await until('the app to end', () => world.backends('notas', member(0)).length === 0);
  expect(await who(other)).toBe(member(1).name);
  const refused = await world.browser().call('POST', '/api/sessao', { login: member(0).name, senha: password });
  expect(refused.json()).toMatchObject({ code: 'CREDENTIALS_REFUSED' });
  await until('the person to be gone', async () => !(await persons()).includes(member(0).name));
});

test('an administrator by a group is one in sessions that exist, and is none within a round of leaving it', async () => {
  const browser = await signIn(member(2));
  const asks = async (): Promise<number> => (await browser.call('GET', '/api/admin/objects?prefix=Portal/')).status;
  expect(await asks()).toBe(403);
  await passwd('gpasswd', ['-a', member(2).name, admins]);
  await world.pass(list);
  await until('the mark to come', async () => (await asks()) === 200);
  expect((await browser.call('GET', '/api/sessao')).json()).toMatchObject({ admin: true, grupos: [admins, group].toSorted() });
  await passwd('gpasswd', ['-d', member(2).name, admins]);
  await world.pass(list);
  await until('the mark to go', async () => (await asks()) === 403);
  expect(await who(browser)).toBe(member(2).name);
});

test('a server that dies, and a group that is not found, take nobody away', async () => {
  const before = (await persons()).toSorted();
  const browser = await signIn(member(3));
  await world.sshd.halt();
  await world.whenState('Server/sirius', 'unknown');
  await world.pass();
  // A list that was being read when the connection broke says that first.
  const silent = await until('the server to be missed', async () => {
    const seen = await world.view(list);
    return seen?.reason === 'ServerUnreachable' ? seen : null;
  });
  expect([silent.reason, silent.message]).toEqual([
    'ServerUnreachable',
    expect.stringMatching(new RegExp(`; no change for its ${count - 1} people$`)),
  ]);
  // The portal that begins now has never asked the server.
  await world.again();
  expect([(await persons()).toSorted(), await who(browser)]).toEqual([before, member(3).name]);
  await passwd('groupmod', ['-n', `${group}x`, group]);
  await world.sshd.resume();
  try {
    await world.pass(list);
    await until('the group to be missed', async () => (await world.view(list))?.reason === 'GroupMissing');
    expect([(await persons()).toSorted(), await who(browser)]).toEqual([before, member(3).name]);
  } finally {
    await passwd('groupmod', ['-n', group, `${group}x`]);
  }
  await world.pass(list);
  await world.whenState(list, 'listed');
});

test('more than a fifth gone at once stay until somebody says --prune', async () => {
  const before = (await persons()).toSorted();
  const gone = members.slice(4, 8);
  const browser = await signIn(member(4));
  await inGroup(members.slice(1, -1).filter((each) => !gone.includes(each)));
  await world.pass(list);
  const waiting = await world.whenState(list, 'waiting');
  expect([waiting.reason, waiting.message]).toEqual([
    'PendingPrune',
    expect.stringContaining(`removes ${gone.length} of ${count - 1} people of ${list}, more than 20 %`),
  ]);
  expect([(await persons()).toSorted(), await who(browser)]).toEqual([before, member(4).name]);
  await world.whenState('Portal/casa', 'waiting');
  await world.admin('POST', '/api/admin/apply', { prune: true });
  await until('the session to end', async () => (await who(browser)) === undefined);
  await until('the people to be gone', async () => (await persons()).length === before.length - gone.length);
  await world.whenState(list, 'listed');
});

test('by a claim of the provider: whoever holds the value is the person of their account; without it the sign-in is refused, and they are gone', async () => {
  const provider = await startIdentityProvider(`http://${world.host}/api/sessao/oidc/retorno`);
  try {
    // Put out of the group by the test before.
    const { name } = member(4);
    const { issuer, clientId, clientSecret } = provider;
    await writeFile(join(world.state, 'oidc-secret'), clientSecret, { mode: 0o600 });
    const text = await readFile(world.file, 'utf8');
    const signIn = `signIn: ${JSON.stringify({ ssh: {}, oidc: { issuer, clientId, clientSecret: { file: 'oidc-secret' } } })}`;
    const more = `---\napiVersion: svc/v1\nkind: People\nmetadata: { name: externos }\nspec: { server: sirius, oidc: { claim: groups, values: [staff] } }\n`;
    await writeFile(world.file, text.replace('signIn: { ssh: {} }', signIn) + more);
    await world.whenState('People/externos', 'listed');
    provider.claims.set('subject-of-ana', { preferred_username: name, name: 'Ana Souza', groups: ['staff', 'other'] });
    const browser = world.browser();
    const come = async (): Promise<string> => {
      const begun = await browser.request('/api/sessao/oidc', { headers: { ...navigation, 'sec-fetch-site': 'same-origin' } });
      const back = await provider.visit(begun.headers.location ?? '');
      const answer = await browser.request(back.pathname + back.search, { headers: { ...navigation, 'sec-fetch-site': 'cross-site' } });
      return answer.headers.location ?? '';
    };
    expect(await come()).toBe(`http://${world.host}/`);
    expect((await browser.call('GET', '/api/sessao')).json()).toMatchObject({
      usuario: name,
      nome: 'Ana Souza',
      grupos: ['staff'],
      admin: false,
    });
    provider.claims.set('subject-of-ana', { preferred_username: name, groups: ['other'] });
    expect(await come()).toContain('OIDC_NO_PERSON');
    await until('the session to end', async () => (await who(browser)) === undefined);
    provider.claims.set('subject-of-ana', { preferred_username: locked.name, groups: ['staff'] });
    expect(await come()).toContain('OIDC_NO_PERSON');
    expect((await world.view('People/externos'))?.message).toBe(
      `0 people; left out: ${locked.name} (its shell lets nobody in (/usr/sbin/nologin))`,
    );
  } finally {
    await provider.close();
  }
});
