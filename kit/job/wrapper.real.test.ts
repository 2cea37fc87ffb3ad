import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sha256, startJobPortal, type JobPortal } from '../../test/support/job-portal.ts';

let portal: JobPortal;
let folder: string;
let began: ReturnType<typeof spawn>[];
beforeEach(async () => {
  portal = await startJobPortal();
  folder = mkdtempSync(path.join(os.tmpdir(), 'svc-job-'));
  began = [];
});
afterEach(async () => {
  for (const child of began) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await portal.close();
  rmSync(folder, { recursive: true, force: true });
});

const words = (...list: readonly string[]): string => list.map((word) => `${word}\0`).join('');

interface Wish {
  readonly command: readonly string[];
  readonly env?: readonly string[];
  readonly seconds?: number;
  readonly delivery?: number;
  readonly files?: Readonly<Record<string, string>>;
  /** Folders of programs, the only ones that the wrapper finds. */
  readonly programs?: string;
}

function start({ command, env = [], seconds = 60, delivery = 60, files = {}, programs }: Wish) {
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
  const wrapper = path.join(import.meta.dirname, 'wrapper.sh');
  const child = spawn('/bin/bash', [wrapper, folder], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { HOME: folder, PATH: programs ?? '/usr/local/bin:/usr/bin:/bin' },
  });
  began.push(child);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, ended, said: () => said };
}

const kept = (name: string): string => readFileSync(path.join(folder, name), 'utf8').trim();

/** Only what the wrapper says it needs, and one of the two clients. */
function programsWith(client: 'curl' | 'python3'): string {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  const needed = ['bash', 'cat', 'head', 'tail', 'mkdir', 'mv', 'rm', 'sleep', 'stat', 'sha256sum', 'cp', 'ln', client];
  for (const name of needed)
    symlinkSync(client === name && name === 'python3' ? '/usr/bin/python3' : `/usr/bin/${name}`, path.join(bin, name));
  return bin;
}

describe.for(['curl', 'python3'] as const)('with %s and nothing but the core utilities', (client) => {
  test('fetches, runs, tells and sends, with every third connection broken or its answer lost', async () => {
    const big = Buffer.alloc(300_000, 'dados ');
    portal.input('entrada/dados.bin', big);
    portal.input('entrada/pasta/ação 1%.txt', Buffer.from('olá'));
    portal.input('entrada/vazio', Buffer.alloc(0));
    portal.fault = (_, nth) => (nth % 6 === 2 ? 'break' : nth % 6 === 5 ? 'lose' : null);
    const script = [
      'cat "entrada/pasta/ação 1%.txt"; echo',
      'echo "svc-progresso 0.42" >"$SVC_PROGRESSO"; sleep 1.2',
      'cp entrada/dados.bin "$SVC_SAIDA/cópia.bin"; mkdir saida/b; echo "$NOME" >saida/b/nome; : >saida/nada; ln -s /etc/passwd saida/elo',
      'echo fim >&2; exit 3',
    ].join('\n');
    const run = start({ command: ['bash', '-c', script], env: ['NOME=a b\nc'], programs: programsWith(client) });
    expect([await run.ended, run.said()]).toEqual([3, '']);
    expect(portal.log()).toBe('olá\nfim\n');
    expect(portal.outputs()).toEqual({ 'saida/cópia.bin': big.toString(), 'saida/b/nome': 'a b\nc\n', 'saida/nada': '' });
    expect(portal.beats).toContain('progresso=0.42');
    expect(portal.beats.filter((line) => line.startsWith('codigo='))).toContain('codigo=3');
    expect(portal.beats.findLast((line) => line.startsWith('estado='))).toBe('estado=terminado');
    expect(sha256(readFileSync(path.join(folder, 'work/entrada/dados.bin')))).toBe(sha256(big));
    expect([kept('codigo'), kept('sent')]).toEqual(['3', 'yes']);
  });
});

test('as in a pod: what it reads may be read-only, and what it writes is elsewhere', async () => {
  const job = path.join(folder, 'job');
  mkdirSync(job);
  const files = { url: portal.url, header: `Authorization: Bearer ${portal.token}`, seconds: '60', delivery: '60', pace: '1 1 0 2 65536' };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(job, name), `${text}\n`);
  writeFileSync(path.join(job, 'command'), words('bash', '-c', 'echo ok >saida/a; exit 5'));
  for (const name of ['env', 'launch']) writeFileSync(path.join(job, name), '');
  const state = path.join(folder, 'state');
  mkdirSync(state);
  const argv = ['--unshare-pid', '--bind', '/', '/', '--ro-bind', job, job, '--dev', '/dev', '--proc', '/proc'];
  const child = spawn('bwrap', [...argv, 'bash', path.join(import.meta.dirname, 'wrapper.sh'), job, state], { stdio: 'ignore' });
  began.push(child);
  expect((await once(child, 'exit'))[0]).toBe(5);
  expect([portal.outputs(), portal.beats.at(-1)]).toEqual([{ 'saida/a': 'ok\n' }, 'codigo=5']);
});

test('the token is in no argv and in no environment', async () => {
  const look =
    'for p in /proc/[0-9]*; do cat $p/cmdline $p/environ 2>/dev/null | tr "\\0" "\\n" | grep -c "$(printf segredo%s -do-trabalho)"; done | sort -u';
  const run = start({ command: ['bash', '-c', look] });
  expect(await run.ended).toBe(0);
  expect(portal.log()).toBe('0\n');
});

test('a command never runs twice', async () => {
  const first = start({ command: ['bash', '-c', 'echo x >>saida/vezes; sleep 1'] });
  await expect.poll(() => existsSync(path.join(folder, 'work/saida/vezes'))).toBe(true);
  const second = start({ command: ['bash', '-c', 'echo x >>saida/vezes'] });
  expect(await second.ended).toBe(125);
  expect(await first.ended).toBe(0);
  expect(portal.outputs()).toEqual({ 'saida/vezes': 'x\n' });
});

test('the exit code is kept and told when the portal is away at the end', async () => {
  const run = start({ command: ['bash', '-c', 'sleep 0.5; echo pronto; exit 7'] });
  await expect.poll(() => portal.beats.includes('estado=a-correr')).toBe(true);
  const back = await portal.away();
  await expect.poll(() => existsSync(path.join(folder, 'codigo'))).toBe(true);
  expect(kept('codigo')).toBe('7');
  await back();
  expect(await run.ended).toBe(7);
  expect([portal.log(), portal.beats.includes('codigo=7')]).toEqual(['pronto\n', true]);
});

test('gives up in time when the portal stays away, with the exit code kept', async () => {
  const run = start({ command: ['bash', '-c', 'exit 4'], seconds: 1, delivery: 2 });
  await portal.away();
  expect(await run.ended).toBe(125);
  expect([kept('codigo'), kept('reason')]).toEqual(['125', 'inputs']);
});

test('410 ends the command and all that it started, and its exit code is kept', async () => {
  const run = start({ command: ['bash', '-c', 'trap "" TERM; sleep 300 & echo $! >filho; wait; sleep 300'] });
  await expect.poll(() => existsSync(path.join(folder, 'work/filho'))).toBe(true);
  portal.cancel();
  expect(await run.ended).toBe(143);
  expect([kept('codigo'), kept('reason')]).toEqual(['143', 'cancelled']);
  expect(existsSync(`/proc/${kept('work/filho')}/exe`)).toBe(false);
});

test('the time of the command is limited, and what it left is sent', async () => {
  const run = start({ command: ['bash', '-c', 'echo meio >saida/parte; echo; sleep 300'], seconds: 1 });
  expect(await run.ended).toBe(124);
  expect(portal.outputs()).toEqual({ 'saida/parte': 'meio\n' });
  expect([kept('reason'), portal.beats.at(-1)]).toEqual(['limit', 'codigo=124']);
});

test('ended from outside it ends the command, and tells that', async () => {
  const run = start({ command: ['bash', '-c', 'sleep 300'] });
  await expect.poll(() => portal.beats.includes('estado=a-correr')).toBe(true);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(143);
  expect([kept('codigo'), kept('reason'), portal.beats.at(-1)]).toEqual(['143', 'ended', 'codigo=143']);
});

test('an input with other bytes than announced is never used', async () => {
  portal.input('entrada/x', Buffer.from('certo'));
  portal.fault = (request) => (request.includes('/entradas/') ? 500 : null);
  const run = start({ command: ['touch', path.join(folder, 'correu')], seconds: 1, delivery: 2 });
  expect(await run.ended).toBe(125);
  expect(existsSync(path.join(folder, 'correu'))).toBe(false);
  expect(portal.log()).toBe('svc: the inputs could not be fetched\n');
});

test.for(['../fora', 'entrada/../../fora', '/etc/fora', 'a//b', 'entrada/a%00b', 'entrada/a%0Ab'])(
  'the path %s of an input is refused',
  async (bad) => {
    portal.input('x', Buffer.from('x'));
    portal.fault = () => null;
    const list = `${sha256(Buffer.from('x'))}\t1\t${bad}\n`;
    const run = startWithList(list);
    expect(await run.ended).toBe(125);
    expect(existsSync(path.join(folder, 'fora'))).toBe(false);
  },
);

/** As if the portal had given that list. */
function startWithList(list: string) {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  const fake = `#!/bin/bash\nfor ((n = 1; n <= $#; n++)); do [[ \${!n} == -o ]] && at=$((n + 1)); done\n[[ \${*: -1} == */entradas ]] && printf '%s' '${list}' >"\${!at}"\nprintf 200\n`;
  writeFileSync(path.join(bin, 'curl'), fake, { mode: 0o755 });
  return start({ command: ['true'], seconds: 0, delivery: 0, programs: `${bin}:/usr/bin:/bin` });
}

test('a job with an image says so when nothing here runs images', async () => {
  const run = start({ command: ['bash', '-c', 'echo oi'], files: { image: 'debian:12\n' }, programs: programsWith('curl') });
  expect(await run.ended).toBe(0);
  expect(portal.log()).toBe('svc: nothing here runs images: the command runs without debian:12\noi\n');
});

/** No registry and no runtime can be had here: what it would be called with. */
test('an image runs by apptainer where it is, with the work folder bound', async () => {
  const bin = programsWith('curl');
  writeFileSync(path.join(bin, 'apptainer'), '#!/bin/bash\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
  const run = start({ command: ['python3', '-c', 'print("a b")'], files: { image: 'debian:12\n' }, programs: bin });
  expect(await run.ended).toBe(0);
  const work = path.join(folder, 'work');
  const argv = ['exec', '--bind', work, '--pwd', work, 'docker://debian:12', 'python3', '-c', 'print("a b")'];
  expect(portal.log().trim().split('\n')).toEqual(argv);
});
