/**
 * The portal follows a Server document: also when it changes, and when somebody only asks for the plan.
 * @module-tag carries-state
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository, until } from '../support/portal.ts';
import { createSshWorld, type SshWorld } from './world.ts';

let world: SshWorld;
beforeAll(async () => {
  world = await createSshWorld({ apps: ['notas'], pinned: ['notas'] });
  await world.whenState('Backend/p0/notas', 'running', 60_000);
}, 120_000);
afterAll(() => world?.stop());

const change = async (from: string, to: string): Promise<void> =>
  writeFile(world.file, (await readFile(world.file, 'utf8')).replace(from, to));

test('svc plan looks over ssh, ends by itself, and makes no key by looking', { timeout: 180_000 }, async () => {
  const root = join(dirname(world.file), '..');
  const plan = (dir: string) =>
    new Promise<{ readonly code: number; readonly text: string }>((resolve) => {
      execFile(join(repository, 'bin/svc'), ['plan', dir, '--state', join(root, 'outro')], (error, out, said) =>
        resolve({ code: Number(error?.code ?? 0), text: out + said }),
      );
    });
  const before = world.sshd.connections();
  const { code, text } = await plan(dirname(world.file));
  // Everything is in place but what an empty store does not know: the documents.
  expect([code, text.includes('Server/sirius'), text.includes('package/install')]).toEqual([2, true, false]);
  await until('its connections to end', () => world.sshd.connections() === before);
  const withoutKey = join(root, 'd2');
  await mkdir(withoutKey);
  await writeFile(join(withoutKey, 'all.yaml'), (await readFile(world.file, 'utf8')).replace(/"key":\{[^}]*\},/, ''));
  expect((await plan(withoutKey)).code).toBe(2);
  expect(existsSync(join(root, 'outro/ssh'))).toBe(false);
});

test('another pin of the same server: the connections of the document before end, the app runs on', { timeout: 180_000 }, async () => {
  const [pid] = world.backends('notas');
  const before = world.sshd.connections();
  await change(world.sshd.hostKey, world.sshd.fingerprints.ecdsa);
  await until(
    'connections by the other key',
    () => world.sshd.log().includes('Accepted publickey') && world.log.some((line) => line.includes('Server/sirius')),
  );
  await world.whenState('Backend/p0/notas', 'running');
  await until('no more connections than before', () => world.sshd.connections() <= before);
  expect(world.backends('notas')).toEqual([pid]);
});

test('a wrong pin: unknown with both fingerprints, and nothing is stopped', { timeout: 180_000 }, async () => {
  const [pid] = world.backends('notas');
  const wrong = `SHA256:${'B'.repeat(43)}`;
  await change(world.sshd.fingerprints.ecdsa, wrong);
  // An observation under way reports first that its connection was ended.
  await until('both fingerprints', async () => {
    const { message } = await world.whenState('Server/sirius', 'unknown');
    return message.includes(wrong) && message.includes(world.sshd.hostKey);
  });
  expect((await world.whenState('Backend/p0/notas', 'unknown')).message).toContain('last known: running');
  await until('no connection', () => world.sshd.connections() === 0);
  expect(world.backends('notas')).toEqual([pid]);
  await change(wrong, world.sshd.hostKey);
  await world.whenState('Backend/p0/notas', 'running');
  expect(world.backends('notas')).toEqual([pid]);
});
