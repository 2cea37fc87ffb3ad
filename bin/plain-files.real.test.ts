/** Named pipes and the like in the folder of a real portal, and the end of a portal of which a read never returns. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test as plain } from 'vitest';
import { freePort, startPortal, until } from '../test/support/portal.ts';
import { beginSvc, repository, runSvc } from './testing/run-svc.ts';

/** A folder of desired state, in one of its own. */
interface Place {
  readonly base: string;
  readonly desired: string;
  write(name: string, yaml: string): void;
}
const test = plain.extend<{ place: Place }>({
  // oxlint-disable-next-line no-empty-pattern
  place: async ({}, use) => {
    const base = mkdtempSync(path.join(os.tmpdir(), 'svcp-'));
    const desired = path.join(base, 'desired');
    mkdirSync(desired);
    const write = (name: string, yaml: string): void => writeFileSync(path.join(desired, name), yaml);
    write('casa.yaml', document('Server', 'casa', '{ local: { prefix: casa, trusted: true } }'));
    write('people.yaml', person('ana', 'Ana'));
    await use({ base, desired, write });
    rmSync(base, { recursive: true, force: true });
  },
});

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
const person = (name: string, nome: string): string => document('Person', name, `{ nome: ${nome}, login: ${name}, server: casa }`);

const others: Readonly<Record<string, (file: string) => unknown>> = {
  'a named pipe': (file) => execFileSync('mkfifo', [file]),
  'a folder': (file) => mkdirSync(file),
  'a socket': (file) =>
    execFileSync('python3', ['-c', 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])', file], { stdio: 'inherit' }),
  'a device': (file) => symlinkSync('/dev/zero', file),
};

test.concurrent('portal and svc validate say the same of what is no plain file; the next edit is taken, and SIGTERM ends the portal', async ({
  place: { base, desired, write },
  expect,
}) => {
  const portal = await startPortal({ desired });
  try {
    const details = async (): Promise<{ errors: string[]; warnings: string[] }> => {
      const { out } = await runSvc(base, ['describe', 'Portal/portal', '--state', portal.state, '-o', 'json']);
      return (JSON.parse(out) as { details: { errors: string[]; warnings: string[] } }).details;
    };
    const lines = Object.entries(others).map(([what, make], at) => {
      make(path.join(desired, `f${at}.yaml`));
      return `${desired}/f${at}.yaml:1:1 UNREADABLE expected a plain file, this is ${what}`;
    });
    write('people.yaml', person('ana', 'Ana Souza'));
    await until('the errors', async () => (await details()).errors.length === lines.length);
    expect((await details()).errors).toEqual(lines);
    const judged = await runSvc(base, ['validate', desired]);
    expect(judged.out.split('\n').filter((line) => line.includes('UNREADABLE'))).toEqual(lines);
    for (const at of lines.keys()) rmSync(path.join(desired, `f${at}.yaml`), { recursive: true });
    mkdirSync(path.join(desired, 'more'));
    write('more/bia.yaml', person('bia', 'Bia'));
    await until('the edit in force', async () => (await details()).errors.length === 0);
    const [warning = ''] = (await details()).warnings;
    expect(warning).toMatch(/more\/bia\.yaml:1:1 NOT_READ /);
    expect((await runSvc(base, ['validate', desired])).out).toContain(`${warning} (warning)\n`);
    expect((await runSvc(base, ['get', 'people', '--state', portal.state])).out).toContain('ana');
    others['a named pipe']?.(path.join(desired, 'f.yaml'));
    await until('the error', async () => (await details()).errors.length === 1);
    portal.child.kill('SIGTERM');
    expect(await once(portal.child, 'exit')).toEqual([0, null]);
  } finally {
    await portal.stop();
  }
});

/** Once the state folder is held, so many threads wait in a read that never returns: as on a network disk that is away. */
function blocking(threads: number, base: string, state: string): Readonly<Record<string, string>> {
  const pipe = path.join(base, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const program = `
    import { existsSync, open } from 'node:fs';
    import { isMainThread } from 'node:worker_threads';
    const look = isMainThread ? setInterval(() => {
      if (!existsSync(${JSON.stringify(path.join(state, 'pid'))})) return;
      clearInterval(look);
      for (let at = 0; at < ${threads}; at += 1) open(${JSON.stringify(pipe)}, () => undefined);
    }, 5) : null;`;
  const preload = path.join(base, 'blocking.mjs');
  writeFileSync(preload, program);
  return { NODE_OPTIONS: `--import=${preload}`, UV_THREADPOOL_SIZE: '4' };
}

test.concurrent.for([
  ['one thread: its parts end in order', 1, 2, /"msg":"portal listens"/],
  ['all threads, while it starts', 4, 15, null],
] as const)(
  'SIGTERM ends svc up with a read that never returns in %s',
  async ([, threads, seconds, begun], { place: { base, desired }, expect }) => {
    const state = path.join(base, 'state');
    const args = ['up', desired, '--state', state, '--listen', `127.0.0.1:${await freePort()}`];
    const { child, text: said } = beginSvc(base, args, blocking(threads, base, state));
    await until('the portal', () => (begun === null ? existsSync(path.join(state, 'pid')) : begun.test(said.err)));
    const beganMs = performance.now();
    child.kill('SIGTERM');
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect([code, signal, said.err]).toEqual([null, 'SIGKILL', expect.stringContaining(`did not end within ${seconds} s: killed`)]);
    expect(performance.now() - beganMs).toBeGreaterThan(seconds * 1_000 - 100);
  },
);

test.concurrent.for([
  ['svc-app-supervisor', [], 'supervisor.lock'],
  ['svc-app-supervisor', ['--detach'], 'supervisor.log'],
  ['svc-app-run', ['notas'], 'notas/launch.lock'],
] as const)('%s %o with a pipe as %s ends and names it', async ([program, args, locked], { place: { base }, expect }) => {
  const pipe = path.join(base, '.svc-apps', locked);
  mkdirSync(path.dirname(pipe), { recursive: true });
  execFileSync('mkfifo', [pipe]);
  const env = { PATH: process.env['PATH'], HOME: base, SVC_PREFIX: base };
  const child = spawn(path.join(repository, 'bin', program), args, { env, stdio: ['ignore', 'ignore', 'pipe'], timeout: 60_000 });
  const [stderr, ended] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect([ended, stderr]).toEqual([[78, null], `${program}: ${pipe} is no plain file: move it away\n`]);
});
