/** A secret goes from the person's browser over ssh into a vault of their own account, and nowhere else. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appPaths } from '../../schema/server-paths.ts';
import type { TestAccount } from '../support/sshd.ts';
import { createSshWorld, type SshWorld } from './world.ts';

const value = 'chave-muito-secreta-4711';
let world: SshWorld;
beforeAll(async () => {
  world = await createSshWorld({ accounts: 2, apps: ['assinador'], config: ['LogLevel DEBUG1'] });
  await world.whenState('Package/assinador', 'installed', 60_000);
}, 120_000);
afterAll(() => world?.stop());

const vaultOf = (account: TestAccount): string => appPaths({ home: account.home, prefix: world.sshd.dir }, 'assinador').secrets;

test('set by the person it is theirs alone on the server, and the app has it', { timeout: 120_000 }, async () => {
  const [{ account }, other] = world.people as [SshWorld['people'][number], SshWorld['people'][number]];
  const browser = await world.signedIn('p0');
  const set = await browser.call('PUT', '/api/apps/assinador/segredos/ASSINADOR_CHAVE', { value });
  expect([set.status, set.text.includes(value)]).toEqual([200, false]);
  const { uid, mode } = statSync(vaultOf(account));
  expect([uid, mode & 0o777]).toEqual([account.uid, 0o600]);
  expect(readFileSync(vaultOf(account), 'utf8')).toContain(value);
  expect(existsSync(vaultOf(other.account))).toBe(false);
  // The folders above let nobody else in, and the other person's own route knows of nothing.
  expect(() => execFileSync('cat', [vaultOf(account)], { uid: other.account.uid, gid: other.account.uid, stdio: 'pipe' })).toThrow(
    /Permission denied/,
  );
  const theirs = await (await world.signedIn('p1')).call('GET', '/api/apps/assinador/segredos');
  expect(theirs.json()).toMatchObject({ secrets: [{ name: 'ASSINADOR_CHAVE', set: false }, { set: false }] });

  await world.order('p0', 'start', 'assinador');
  await world.whenState('Backend/p0/assinador', 'running', 60_000);
  const [pid] = world.backends('assinador', account);
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')).toContain(`ASSINADOR_CHAVE=${value}`);
});

test('is in no log, no list of processes and no file of the portal', () => {
  expect(world.log.join('')).not.toContain(value);
  expect(world.sshd.log()).not.toContain(value);
  expect(world.sshd.processes().flatMap(({ argv }) => argv)).not.toContainEqual(expect.stringContaining(value));
  const files = readdirSync(world.state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.filter((file) => readFileSync(join(file.parentPath, file.name)).includes(value))).toEqual([]);
});

test('is taken back from the vault', async () => {
  const browser = await world.signedIn('p0');
  expect((await browser.call('DELETE', '/api/apps/assinador/segredos/ASSINADOR_CHAVE')).status).toBe(200);
  expect(readFileSync(vaultOf(world.people[0]!.account), 'utf8')).not.toContain(value);
});
