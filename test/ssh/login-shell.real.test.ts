/**
 * A person's ~/.bashrc or ~/.ssh/rc in the way, over a real sshd whose SFTP is a program: files, commands and the supervisor report the
 * obstacle; so does the supervisor where sshd forwards to no sockets.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { createSshHost } from '../../controller/hosts/ssh/host.ts';
import type { Host } from '../../controller/hosts/host.ts';
import { startSshd, type TestSshd } from '../support/sshd.ts';
import { sshHostOptions } from './world.ts';

type Sees = 'ok' | RegExp;
interface Row {
  /** `.bashrc` unless it is said. */
  readonly file?: '.ssh/rc';
  readonly text: string;
  readonly files: Sees;
  readonly command: Sees;
  readonly supervisor: Sees;
}

const reads = /reads what is sent to commands/;
const hangs = /ran no command within \d+ s/;
const something = /prints something before a command/;
const floods = /prints “y” before a command/;
const ends = /ends before it runs a command/;
const rows: readonly Row[] = [
  { text: 'echo bem-vindo', files: /prints “bem-vindo” before a command/, command: 'ok', supervisor: 'ok' },
  { text: 'printf "sem fim"', files: /prints “sem fim” before a command/, command: 'ok', supervisor: 'ok' },
  { text: String.raw`printf '\0\0\0\5'`, files: something, command: 'ok', supervisor: 'ok' },
  { text: 'yes', files: floods, command: floods, supervisor: floods },
  { text: 'echo aviso >&2', files: 'ok', command: 'ok', supervisor: 'ok' },
  { text: 'read x', files: reads, command: reads, supervisor: 'ok' },
  { text: 'echo oi; cat >/dev/null', files: reads, command: reads, supervisor: 'ok' },
  { text: 'sleep 600', files: hangs, command: hangs, supervisor: hangs },
  { text: 'exit 0', files: ends, command: ends, supervisor: ends },
  {
    text: 'echo fora; exit 3',
    files: /ends before it runs a command and says “fora”/,
    command: /^3 fora$/,
    supervisor: /ended with 3: fora/,
  },
  // Files are a subsystem, before which sshd runs no ~/.ssh/rc.
  { file: '.ssh/rc', text: 'sleep 600', files: 'ok', command: hangs, supervisor: hangs },
  { file: '.ssh/rc', text: 'yes', files: 'ok', command: floods, supervisor: floods },
  { file: '.ssh/rc', text: 'yes ""', files: 'ok', command: something, supervisor: something },
  { file: '.ssh/rc', text: 'echo svc-begins; echo \'{"pid":1}\'', files: 'ok', command: 'ok', supervisor: 'ok' },
  { file: '.ssh/rc', text: 'yes >&2', files: 'ok', command: floods, supervisor: floods },
];

let sshd: TestSshd;
let host: Host;
beforeAll(async () => {
  sshd = await startSshd({ accounts: rows.length + 1, config: ['Subsystem sftp /usr/lib/openssh/sftp-server'] });
  host = createSshHost(sshHostOptions(sshd));
});
afterAll(async () => {
  await host?.close();
  await sshd?.stop();
});

const outcome = async (work: Promise<string>): Promise<string> =>
  await work.catch((error: Error & { code?: string }) => `${error.code ?? ''} ${error.message}`);

describe.concurrent('start-up files of an account', () => {
  test.for(rows.map((row, index) => [row.file ?? '.bashrc', row.text, row, index] as const))(
    '~/%s: %s',
    { timeout: 120_000 },
    async ([file, text, row, index], { expect }) => {
      const { name, home } = sshd.accounts[index]!;
      await mkdir(join(home, '.ssh'), { recursive: true });
      await writeFile(join(home, file), `${text}\n`);
      const files = async (): Promise<string> =>
        (await (await host.files(name)).stat(Buffer.from(home))).kind === 'folder' ? 'ok' : 'no folder';
      const command = async (): Promise<string> => {
        const lines: string[] = [];
        const run = { argv: ['cat'], stdin: 'uma\nduas\n', onLine: (line: string) => lines.push(line), msMax: 60_000 };
        const { code, said } = await host.run(name, { ...run, signal: AbortSignal.timeout(60_000) });
        return code === 0 ? (lines.join() === 'uma,duas' ? 'ok' : lines.join()) : `${code} ${said}`;
      };
      const supervisor = async (): Promise<string> => {
        await host.startSupervisor(name);
        return 'ok';
      };
      const seen = await Promise.all([files(), command(), supervisor()].map(outcome));
      const wanted = [row.files, row.command, row.supervisor];
      expect(seen).toEqual(wanted.map((one) => (one === 'ok' ? 'ok' : (expect.stringMatching(one) as string))));
      // Each names the file and what to write there.
      for (const one of seen.filter((each) => each.startsWith('LOGIN_SHELL'))) expect(one).toMatch(/~\/\.bashrc.*: (write|take) /);
    },
  );

  test(
    'an sshd that forwards to no sockets: a supervisor can not be reached, and why is said',
    { timeout: 120_000 },
    async ({ expect }) => {
      const { port } = await sshd.beside(['AllowStreamLocalForwarding no']);
      const deaf = createSshHost(sshHostOptions(sshd, { target: { host: '127.0.0.1', port, hostKey: sshd.hostKey } }));
      await expect(deaf.startSupervisor(sshd.accounts.at(-1)!.name)).rejects.toMatchObject({
        code: 'SUPERVISOR_FAILED',
        message: expect.stringContaining('AllowStreamLocalForwarding') as string,
      });
      await deaf.close();
    },
  );
});
