/** Two portals on one machine, by the scripts of the kit: what each sees of the other. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'vitest';
import { limits } from '../limits.ts';
import { readFacts } from '../hosts/server/facts.ts';
import type { KeysInOrder } from '../hosts/server/kit-state.ts';
import { keysSeen, rivalMessage } from './rival.ts';

const scripts = path.resolve(import.meta.dirname, '../../kit/server');

function machine() {
  const root = mkdtempSync(path.join(tmpdir(), 'svcr-'));
  let nowMs = 0;
  const run = async (name: string, words: readonly string[]): Promise<readonly string[]> => {
    const child = spawn('sh', ['-s', '--', root, ...words], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.end(['own', 'reload', name].map((each) => readFileSync(path.join(scripts, `${each}.sh`), 'utf8')).join(''));
    return (await text(child.stdout)).split('\n').filter((line) => line !== '');
  };
  return {
    root,
    pass: (ms: number) => (nowMs += ms),
    portal: (key: string, accounts: readonly string[]) => {
      let keys: KeysInOrder | null = null;
      return {
        order: () => run('accounts', ['subdomain', 'ssh-ed25519', key, '-', '-', ...accounts]),
        /** As a pass of the loop does: returns its report. */
        look: async (): Promise<string | null> => {
          nowMs += limits.kitPollMs;
          const facts = readFacts(await run('facts', accounts));
          keys = keysSeen(keys, { facts, publicKey: `ssh-ed25519 ${key}`, nowMs });
          return rivalMessage(keys);
        },
      };
    },
  };
}

describe.concurrent('portals of one machine', () => {
  test.for([
    ['another key', 'AAAA', 'BBBB', ['daemon', 'bin'], ['daemon', 'bin'], 'another portal orders this server', true],
    ['the same key, and other people', 'AAAA', 'AAAA', ['daemon', 'bin'], ['bin'], 'taken from daemon again and again', false],
    ['the same key, and nobody in common', 'AAAA', 'AAAA', ['daemon'], ['bin'], 'taken from daemon again and again', true],
  ] as const)(
    'two that order one machine tell of each other, until one ends: %s',
    async ([, ours, theirs, ourPeople, theirPeople, said, byBoth], { expect, onTestFinished }) => {
      const { root, portal, pass } = machine();
      onTestFinished(() => rmSync(root, { recursive: true }));
      const [one, two] = [portal(ours, ourPeople), portal(theirs, theirPeople)];
      await one.order();
      // A machine that the other portal had before is nothing to report yet.
      expect([await one.look(), await two.look()]).toEqual([null, null]);
      for (let round = 0; round < 2; round += 1) {
        await two.order();
        await two.look();
        await one.look();
        await one.order();
        await one.look();
        await two.look();
      }
      expect(await one.look()).toContain(said);
      // A portal that never misses a key has nothing to report.
      expect((await two.look()) !== null).toBe(byBoth);
      pass(limits.rivalKeptMs);
      expect(await one.look()).toBeNull();
    },
  );

  test('a key that an administrator deletes once, and a new key of the portal itself, are nobody else', async ({
    expect,
    onTestFinished,
  }) => {
    const { root, portal } = machine();
    onTestFinished(() => rmSync(root, { recursive: true }));
    const one = portal('AAAA', ['daemon', 'bin']);
    await one.order();
    await one.look();
    rmSync(path.join(root, 'etc/svc-kit/authorized_keys/daemon'));
    expect(await one.look()).toBeNull();
    await one.order();
    expect(await one.look()).toBeNull();
    const facts = { key: 'ssh-ed25519 AAAA', accounts: [], sshdReads: true };
    const before = { key: 'ssh-ed25519 AAAA', accounts: new Set<string>(), rival: null };
    expect(rivalMessage(keysSeen(before, { facts, publicKey: 'ssh-ed25519 NEW', nowMs: 1 }))).toBeNull();
  });
});
