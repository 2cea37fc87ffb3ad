/** A wrapper with a portal and the folder of one job. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startJobPortal } from '../../../test/support/job-portal.ts';

export const wrapperFile = path.resolve(import.meta.dirname, '../wrapper.sh');

export const words = (...list: readonly string[]): string => list.map((word) => `${word}\0`).join('');

interface Wish {
  readonly command: readonly string[];
  readonly env?: readonly string[];
  readonly seconds?: number;
  readonly delivery?: number;
  readonly files?: Readonly<Record<string, string>>;
  /** Environment of the wrapper itself. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Folders of programs, the only ones that the wrapper finds. */
  readonly programs?: string;
}

/** A portal and the folder of a job; both are gone when the test ends. */
export async function world(onTestFinished: (end: () => Promise<void>) => void) {
  const portal = await startJobPortal();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'svc-job-'));
  const began: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of began) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await portal.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const start = ({ command, env = [], seconds = 60, delivery = 60, files = {}, programs, environment = {} }: Wish) => {
    const all = {
      url: `${portal.url}\n`,
      header: `Authorization: Bearer ${portal.token}\n`,
      seconds: `${seconds}\n`,
      delivery: `${delivery}\n`,
      command: words(...command),
      env: words(...env),
      launch: '',
      pace: '1 1 0 2 65536\n',
      ...files,
    };
    for (const [name, text] of Object.entries(all)) writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    const child = spawn('/bin/bash', [wrapperFile, folder], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...environment, HOME: folder, PATH: programs ?? '/usr/local/bin:/usr/bin:/bin' },
    });
    began.push(child);
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    return { child, ended, said: () => said };
  };
  /** Only what the wrapper says it needs, and one of the two clients. */
  const programsWith = (client: 'curl' | 'python3'): string => {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    const needed = ['bash', 'cat', 'head', 'tail', 'mkdir', 'mv', 'rm', 'sleep', 'stat', 'sha256sum', 'cp', 'ln', 'env', client];
    for (const name of needed) symlinkSync(`/usr/bin/${name}`, path.join(bin, name));
    return bin;
  };
  /** As if the portal had given that list of inputs, and taken everything. */
  const startWithList = (list: string) => {
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    const fake = `#!/bin/bash\nfor ((n = 1; n <= $#; n++)); do [[ \${!n} == -o ]] && at=$((n + 1)); done\n[[ \${*: -1} == */@(entradas|batida) ]] && printf '%s' '${list}' >"\${!at}"\nprintf 200\n`;
    writeFileSync(path.join(bin, 'curl'), fake, { mode: 0o755 });
    return start({ command: ['true'], seconds: 0, delivery: 0, programs: `${bin}:/usr/bin:/bin` });
  };
  const kept = (name: string): string => readFileSync(path.join(folder, name), 'utf8').trim();
  return { portal, folder, began, start, startWithList, programsWith, kept };
}
