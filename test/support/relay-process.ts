/** Starts relay-main.ts and asks it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RelayFigures } from '../../api/rooms/contract.ts';
import { portalEnv, portalFlags } from '../../bin/up/portal-process.ts';
import { repository } from './portal.ts';

export interface RelayFacts {
  readonly longestTurnMs: number;
  readonly rss: number;
  readonly heapUsed: number;
  readonly figures: RelayFigures;
  readonly reports: readonly string[];
}

export interface RelayProcess {
  readonly url: string;
  readonly pid: number;
  /** 'reset' forgets the longest turn afterwards. */
  ask(what?: 'figures' | 'reset'): Promise<RelayFacts>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** True while it runs. */
  alive(): boolean;
}

export async function spawnRelay(dir: string): Promise<RelayProcess> {
  const args = [...portalFlags, '--expose-gc', join(repository, 'test/support/relay-main.ts'), dir];
  const child = spawn(join(repository, 'node_modules/.bin/node'), args, {
    cwd: repository,
    env: { ...process.env, ...portalEnv },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const { value: url } = (await createInterface({ input: child.stdout! })[Symbol.asyncIterator]().next()) as { value?: string };
  if (url === undefined) throw new Error('the relay did not start');
  return {
    url,
    pid: child.pid!,
    ask: async (what = 'figures') => {
      const answer = once(child, 'message');
      child.send(what);
      const [facts] = (await answer) as [RelayFacts];
      return facts;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    alive: () => child.exitCode === null && child.signalCode === null,
  };
}
