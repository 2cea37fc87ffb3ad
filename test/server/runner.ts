/** The administrator's acts over the plain ssh command, for before there is a portal. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Runner } from '../../controller/hosts/server/admin.ts';
import type { Machine } from './machine.ts';

export function machineRunner(machine: Machine, account: string): Runner {
  return {
    run: async ({ argv, stdin, onLine }) => {
      // Words of the test and of our own scripts' names: nothing that a shell reads in another way.
      const child = spawn('ssh', [...machine.sshOptions, `${account}@127.0.0.1`, argv.join(' ')], { stdio: ['pipe', 'pipe', 'pipe'] });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      createInterface({ input: child.stdout }).on('line', (line) => onLine?.(line));
      const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
      if (stdin === undefined) child.stdin.end();
      else await pipeline(Readable.from(stdin), child.stdin).catch(() => undefined);
      return { code: await closed, signal: null, said };
    },
  };
}
