/**
 * Backends of other accounts, on a server over ssh, in the rooms of their people: the credential comes with the start, works from there as
 * the person, and ends with the app. Source: rules 5.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/portal.ts';
import { connect } from '../support/room-client.ts';
import { createSshWorld, type SshWorld } from './world.ts';

const written = 'escrito na página, lido no servidor ✓';
let world: SshWorld;
let sala: string;
beforeAll(async () => {
  world = await createSshWorld({ accounts: 3, apps: ['caderno'], config: ['LogLevel DEBUG1'], url: 'localhost' });
  await world.whenState('Package/caderno', 'installed', 60_000);
}, 120_000);
afterAll(() => world?.stop());

const variableOf = (pid: number, name: string): string | undefined =>
  readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .find((entry) => entry.startsWith(`${name}=`))
    ?.slice(name.length + 1);
const tokenOf = (person: number): string => {
  const [pid] = world.backends('caderno', world.people[person]!.account);
  return variableOf(pid!, 'SVC_PORTAL_TOKEN') ?? '';
};
const asBackend = async (token: string): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${world.port}/api/salas`, { headers: { authorization: `Bearer ${token}` } });
  await answer.body?.cancel();
  return answer.status;
};

test('a backend on the server reads the room as its person, who is in it or not', { timeout: 120_000 }, async () => {
  const [ana, bea, caio] = await Promise.all(['p0', 'p1', 'p2'].map((name) => world.signedIn(name)));
  ({ id: sala } = (await ana!.call('POST', '/api/salas?app=caderno', { nome: 'Atas' })).json() as { id: string });
  expect((await ana!.call('PUT', `/api/salas/${sala}/pessoas/p1?app=caderno`, { papel: 'ver' })).status).toBe(200);
  const { bilhete, caminho } = (await ana!.call('POST', `/api/salas/${sala}/bilhete?app=caderno`, {})).json() as Record<string, string>;
  const page = connect(`ws://127.0.0.1:${world.port}${caminho}/documento`, bilhete!, { host: world.host });
  await page.synced;
  page.doc.getText('texto').insert(0, written);
  const host = world.appHost('caderno');
  const exported = async (browser: typeof ana): Promise<{ status: number; text: string }> => {
    expect((await browser!.visit(`http://${host}/`)).status).toBe(200);
    const { status, text } = await browser!.request(`/api/exportar/${sala}`, { headers: { host } });
    return { status, text };
  };
  await until('the text to be there for the backend', async () => (await exported(ana)).text === written);
  expect(await exported(bea)).toEqual({ status: 200, text: written });
  expect((await exported(caio)).status).toBe(404);
  for (const { account } of world.people) expect(world.backends('caderno', account)).toHaveLength(1);
  page.end();
});

test('each has a credential of its own, told to nobody else', () => {
  const tokens = [0, 1, 2].map(tokenOf);
  expect(new Set(tokens).size).toBe(3);
  const said = [world.log.join(''), world.sshd.log(), JSON.stringify(world.sshd.processes().map(({ argv }) => argv))];
  for (const token of tokens) {
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(said.filter((text) => text.includes(token))).toEqual([]);
  }
});

test('it ends with the app that it was given to, and no other', { timeout: 60_000 }, async () => {
  const [mine, other] = [tokenOf(0), tokenOf(1)];
  expect([await asBackend(mine), await asBackend(other)]).toEqual([200, 200]);
  await world.order('p0', 'stop', 'caderno');
  await until('the credential to have ended', async () => (await asBackend(mine)) === 401);
  expect(await asBackend(other)).toBe(200);
});
