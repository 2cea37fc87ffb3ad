/**
 * Three people with passwords on a real sshd: each signs in as themself and gets the supervisor of their own account; nobody gets in as
 * somebody else, and the passwords are nowhere but where they were typed.
 *
 * @module-tag carries-state
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, Browser } from '../../api/testing/portal-world.ts';
import { until } from '../support/portal.ts';
import { createSshWorld, type SshWorld } from './world.ts';

const call = promisify(execFile);
const passwordOf = (person: string): string => `canary of ${person} 9f3b1c`;
let world: SshWorld;

beforeAll(async () => {
  world = await createSshWorld({
    accounts: 3,
    apps: [],
    password: 'to be changed',
    passwords: true,
    config: ['UsePAM yes', 'KbdInteractiveAuthentication yes'],
  });
  for (const { name, account } of world.people) {
    const change = execFile('chpasswd');
    change.stdin?.end(`${account.name}:${passwordOf(name)}\n`);
    await once(change, 'exit');
  }
});
afterAll(() => world?.stop());

const enter = (browser: Browser, login: string, senha: string): Promise<Answer> => browser.call('POST', '/api/sessao', { login, senha });

test('login × password: each opens their own session and no other', async () => {
  const names = world.people.map(({ name }) => name);
  const accounts = world.people.map(({ account }) => account.name);
  const tried = async (login: string, whose: string): Promise<'in' | 'refused' | 'held back'> => {
    const answer = await enter(world.browser(), login, passwordOf(whose));
    // The portal holds back after twenty from one address.
    if (answer.status === 429) return 'held back';
    const opens = login === whose;
    expect([login, whose, answer.status, answer.json().usuario]).toEqual([login, whose, opens ? 200 : 401, opens ? login : undefined]);
    return answer.status === 200 ? 'in' : 'refused';
  };
  const cells: string[] = [];
  // PAM takes seconds over each refusal: a stranger needs one password of somebody, a person needs everybody's.
  const pairs = [
    ...names.flatMap((login) => names.map((whose) => [login, whose] as const)),
    ...[...accounts, 'root', 'svc-nobody', 'zoe'].map((login, nth) => [login, names[nth % names.length]!] as const),
  ];
  // A portal asks a server eight questions at a time, and has one to spare here.
  for (let at = 0; at < pairs.length; at += 7) {
    cells.push(...(await Promise.all(pairs.slice(at, at + 7).map(([login, whose]) => tried(login, whose)))));
  }
  expect(cells.filter((cell) => cell === 'in')).toHaveLength(3);
  expect(cells.filter((cell) => cell === 'refused').length).toBeGreaterThan(10);
});

test('the first session starts the supervisor of the account, a restart of the portal keeps it', async () => {
  const [first] = world.people;
  if (!first) throw new Error('nobody here');
  await until('the supervisor of p0', () => world.supervisors(first.account).length === 1);
  const before = world.supervisors(first.account);
  await world.again();
  expect(world.supervisors(first.account)).toEqual(before);
});

test('no password is in a file of the portal, its log, a list of processes or the log of sshd', async () => {
  const files = readdirSync(world.state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  const { stdout } = await call('ps', ['axwwe', '-o', 'args'], { maxBuffer: 64 * 1024 * 1024 });
  const seen = [...files, world.log.join(''), stdout, world.sshd.log()].join('\n');
  expect(seen.length).toBeGreaterThan(10_000);
  expect(seen).not.toContain('canary of p');
});

test('sign-in takes as long for nobody as for a wrong password', async () => {
  await world.again();
  const timeOf = async (login: string): Promise<number> => {
    const beganMs = performance.now();
    expect((await enter(world.browser(), login, 'wrong')).status).toBe(401);
    return performance.now() - beganMs;
  };
  // At the same time, and the quickest of each: what else the machine does only ever adds to it.
  let [known, unknown] = [Infinity, Infinity];
  for (let index = 0; index < 2; index += 1) {
    const [one, other] = await Promise.all([timeOf(`p${index}`), timeOf(`nobody${index}`)]);
    [known, unknown] = [Math.min(known, one), Math.min(unknown, other)];
  }
  const beganMs = performance.now();
  expect((await enter(world.browser(), 'p0', passwordOf('p0'))).status).toBe(200);
  const rightMs = performance.now() - beganMs;
  console.info(`sign-in: right ${Math.round(rightMs)} ms; refused: known ${Math.round(known)} ms, unknown ${Math.round(unknown)} ms`);
  expect(Math.abs(known - unknown)).toBeLessThan(Math.max(known, unknown) * 0.5);
});

test('while sshd is away a known login and an unknown one are answered the same, and the log says why', async () => {
  await world.sshd.halt();
  try {
    const answers = await Promise.all(
      ['p0', 'zoe'].map(async (login) => {
        const { status, text } = await enter(world.browser(), login, 'wrong');
        return `${status} ${text}`;
      }),
    );
    expect(answers[0]).toMatch(/^503 .*PASSWORD_UNCHECKED/);
    expect(answers[1]).toBe(answers[0]);
    expect(answers[0]).not.toMatch(/svc-nobody|ECONN|@|127\.0\.0\.1/);
    expect(world.log.join('')).toMatch(/"code":"SERVER_UNREACHABLE","why":"no ssh connection to [^"]*ECONNREFUSED[^"]*".*sign-in refused/);
  } finally {
    await world.sshd.resume();
  }
});

test('a locked and an expired account lose their sessions within a round and come in by no way, and do again when they are opened', async () => {
  const who = async (browser: Browser): Promise<unknown> => (await browser.call('GET', '/api/sessao')).json()?.usuario;
  // Both within one round.
  const closed = [
    { name: 'p0', close: ['usermod', '-L'], open: ['usermod', '-U'] },
    { name: 'p2', close: ['chage', '-E', '1'], open: ['chage', '-E', '-1'] },
  ] as const;
  const change = async (name: string, [command, ...words]: readonly [string, ...string[]]): Promise<unknown> =>
    await call(command, [...words, world.people.find((person) => person.name === name)!.account.name]);
  const bia = await world.signedIn('p1');
  const sessions = await Promise.all(closed.map(async ({ name }) => await world.signedIn(name)));
  for (const { name, close } of closed) await change(name, close);
  await world.pass();
  for (const [at, { name, open }] of closed.entries()) {
    await until('the session to end', async () => (await who(sessions[at]!)) === undefined);
    expect((await world.whenState(`Person/${name}`, 'closed')).reason).toBe('AccountClosed');
    const { link } = (await world.admin('POST', '/api/admin/links', { person: name })).body as { readonly link: string };
    const { searchParams } = new URL(link);
    expect((await world.browser().call('POST', '/api/sessao', { passe: searchParams.get('passe') })).json()).toMatchObject({
      code: 'ACCOUNT_CLOSED',
    });
    await change(name, open);
  }
  expect(await who(bia)).toBe('p1');
  await world.pass();
  for (const { name } of closed) {
    await world.whenState(`Person/${name}`, 'away');
    expect(await who(await world.signedIn(name))).toBe(name);
  }
}, 120_000);
