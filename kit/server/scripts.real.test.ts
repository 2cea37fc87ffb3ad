/**
 * The scripts of the kit with a real sh, tar and flock, below a folder that stands for a server: an attempt that dies at any step leaves a
 * whole kit current, and the next one ends as if nothing had been. What needs systemd and accounts is shown by test/server.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const steps = ['check', 'unpack', 'try', 'place', 'switch', 'links', 'clean', 'done'];

let root: string;
const running: ChildProcess[] = [];
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'svck-'));
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

const base = (): string => path.join(root, 'server/opt/svc');

function script(name: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const text = readFileSync(path.join(import.meta.dirname, `${name}.sh`), 'utf8');
  return spawnSync('sh', ['-s', '--', path.join(root, 'server'), ...words], {
    input: text,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
}

/** A small kit: its runtime is a program of the system, so that it can be seen running. */
function tarball(id: string, installer = 'exit 2'): { readonly id: string; readonly sum: string } {
  const folder = path.join(root, `make-${id}/svc`);
  for (const sub of ['node/bin', 'bin', 'sdk']) mkdirSync(path.join(folder, sub), { recursive: true });
  writeFileSync(path.join(folder, 'node/bin/node'), '#!/bin/sh\nexit 0\n');
  for (const name of ['sleep', 'svc-app-supervisor']) copyFileSync('/bin/sleep', path.join(folder, 'node/bin', name));
  writeFileSync(path.join(folder, 'bin/svc-app-install'), `#!/bin/sh\n${installer}\n`);
  writeFileSync(path.join(folder, 'bin/svc-app-run'), '#!/bin/sh\n');
  writeFileSync(path.join(folder, 'sdk/version'), id);
  writeFileSync(path.join(folder, 'kit.json'), `${JSON.stringify({ id, commands: ['svc-app-install', 'svc-app-run'] })}\n`);
  for (const file of ['node/bin/node', 'node/bin/sleep', 'node/bin/svc-app-supervisor', 'bin/svc-app-install', 'bin/svc-app-run'])
    chmodSync(path.join(folder, file), 0o755);
  const file = path.join(root, `${id}.tgz`);
  execFileSync('tar', ['-czf', file, '-C', path.dirname(folder), 'svc']);
  return { id, sum: execFileSync('sha256sum', [file], { encoding: 'utf8' }).slice(0, 64) };
}

function put({ id, sum }: { readonly id: string; readonly sum: string }, env: Readonly<Record<string, string>> = {}) {
  expect(script('prepare', []).status).toBe(0);
  copyFileSync(path.join(root, `${id}.tgz`), path.join(base(), `.in/${sum}.tgz`));
  return script('install', [id, sum], env);
}

const current = (): string => readlinkSync(path.join(base(), 'current'));
const versions = (): readonly string[] => readdirSync(base()).filter((name) => /^[0-9]/.test(name));

describe('the kit', () => {
  test('is put in place step by step, and the one before is kept', () => {
    const first = put(tarball('1.0.0-aaaaaaaa'));
    expect(first.stdout.trim().split('\n')).toEqual(steps.map((step) => `step ${step}`));
    put(tarball('1.1.0-bbbbbbbb'));
    put(tarball('1.2.0-cccccccc'));
    expect([current(), readlinkSync(path.join(base(), 'previous')), versions()]).toEqual([
      '1.2.0-cccccccc',
      '1.1.0-bbbbbbbb',
      ['1.1.0-bbbbbbbb', '1.2.0-cccccccc'],
    ]);
    expect(readFileSync(path.join(base(), 'sdk/version'), 'utf8')).toBe('1.2.0-cccccccc');
    expect(existsSync(path.join(root, 'server/usr/local/bin/svc-app-install'))).toBe(true);
  });

  test.for(steps)('is whole when an attempt dies at %s, and the next one ends well', (step) => {
    put(tarball('1.0.0-aaaaaaaa'));
    const newer = tarball('1.1.0-bbbbbbbb');
    const died = put(newer, { SVC_KIT_DIE: step });
    expect(died.signal).toBe('SIGKILL');
    const now = current();
    expect(['1.0.0-aaaaaaaa', '1.1.0-bbbbbbbb']).toContain(now);
    expect(readFileSync(path.join(base(), now, 'sdk/version'), 'utf8')).toBe(now);
    expect(put(newer).status).toBe(0);
    expect([current(), readlinkSync(path.join(base(), 'previous')), versions()]).toEqual([
      '1.1.0-bbbbbbbb',
      '1.0.0-aaaaaaaa',
      ['1.0.0-aaaaaaaa', '1.1.0-bbbbbbbb'],
    ]);
    expect(readdirSync(path.join(base(), '.in'))).toEqual([]);
  });

  test.for([
    ['other bytes', 10, () => ({ ...tarball('1.1.0-bbbbbbbb'), sum: 'f'.repeat(64) })],
    ['commands that do not run there', 11, () => tarball('1.1.0-bbbbbbbb', 'exit 127')],
  ] as const)('with %s is refused with code %i, and the one before stays', ([, code, make]) => {
    put(tarball('1.0.0-aaaaaaaa'));
    expect(put(make()).status).toBe(code);
    expect([current(), versions()]).toEqual(['1.0.0-aaaaaaaa', ['1.0.0-aaaaaaaa']]);
  });

  test.for([
    ['taken away', (file: string) => rmSync(file)],
    ['made unrunnable', (file: string) => chmodSync(file, 0o644)],
  ] as const)('that had a command %s is told, and the same kit put there again brings it back', ([, spoil]) => {
    const kit = tarball('1.0.0-aaaaaaaa');
    put(kit);
    const lacks = (): readonly string[] => script('facts', []).stdout.match(/^kit_lacks .*$/gm) ?? [];
    expect(lacks()).toEqual([]);
    spoil(path.join(base(), 'current/bin/svc-app-run'));
    expect(lacks()).toEqual(['kit_lacks svc-app-run']);
    expect(put(kit).status).toBe(0);
    expect([lacks(), current()]).toEqual([[], '1.0.0-aaaaaaaa']);
  });

  test('of an earlier version stays while somebody runs from it', () => {
    put(tarball('1.0.0-aaaaaaaa'));
    const child = spawn(path.join(base(), '1.0.0-aaaaaaaa/node/bin/sleep'), ['60']);
    running.push(child);
    put(tarball('1.1.0-bbbbbbbb'));
    put(tarball('1.2.0-cccccccc'));
    expect(versions()).toEqual(['1.0.0-aaaaaaaa', '1.1.0-bbbbbbbb', '1.2.0-cccccccc']);
    const refused = script('remove', ['no']);
    expect([refused.status, refused.stdout]).toEqual([15, expect.stringContaining(`process ${child.pid} `) as string]);
    expect(script('remove', ['yes']).status).toBe(0);
    expect(existsSync(base())).toBe(false);
    expect(readdirSync(path.join(root, 'server/usr/local/bin'))).toEqual([]);
  });

  test('names what runs from it on one line each, whatever words it was started with', async () => {
    put(tarball('1.0.0-aaaaaaaa'));
    const child = spawn(path.join(base(), 'current/node/bin/sleep'), ['60', '60'], {
      argv0: '0\nunit svc-app-forged.service\nstep done\u001b[2J',
    });
    running.push(child);
    const gone = once(child, 'exit');
    const told = (): readonly string[] => script('remove', ['no']).stdout.trim().split('\n');
    while (!told().some((line) => line.startsWith(`process ${child.pid} 0`)));
    expect(told()).toEqual([`process ${child.pid} 0?unit svc-app-forged.service?step done?[2J 60 60 `.trim()]);
    expect(script('remove', ['yes']).stdout).toBe('step end\nstep key\nstep files\nstep done\n');
    expect((await gone)[1]).toBe('SIGTERM');
  });

  test('is taken off without asking where nothing but a supervisor runs from it', async () => {
    put(tarball('1.0.0-aaaaaaaa'));
    const child = spawn(path.join(base(), 'current/node/bin/svc-app-supervisor'), ['60']);
    running.push(child);
    const gone = once(child, 'exit');
    expect(script('remove', ['no']).status).toBe(0);
    expect((await gone)[1]).toBe('SIGTERM');
    expect(existsSync(base())).toBe(false);
  });

  test('goes back to the one before, and says so when there is none', () => {
    put(tarball('1.0.0-aaaaaaaa'));
    expect(script('rollback', []).status).toBe(13);
    put(tarball('1.1.0-bbbbbbbb'));
    expect(script('rollback', []).stdout.trim()).toBe('kit 1.0.0-aaaaaaaa');
    expect([current(), readlinkSync(path.join(base(), 'previous'))]).toEqual(['1.0.0-aaaaaaaa', '1.1.0-bbbbbbbb']);
  });
});

describe('facts and accounts', () => {
  test('are told of a server with nothing on it', () => {
    mkdirSync(path.join(root, 'server'));
    const { stdout, stderr } = script('facts', ['no-such-account-of-svc']);
    expect(stdout).toMatch(/^arch \S+$/m);
    expect(stdout).toMatch(/^kit -$/m);
    expect(stdout).toMatch(/^account no-such-account-of-svc missing$/m);
    expect(stderr).toBe('');
  });

  test('keys come and go with the people', () => {
    const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
    const keys = (): readonly string[] => readdirSync(path.join(root, 'server/etc/svc/authorized_keys'));
    expect(script('accounts', ['path', 'ssh-ed25519', 'AAAA', user, 'no-such-account-of-svc']).stdout).toBe(
      'missing no-such-account-of-svc\n',
    );
    expect(keys()).toEqual([user]);
    expect(readFileSync(path.join(root, 'server/etc/svc/authorized_keys', user), 'utf8')).toBe(
      'restrict,port-forwarding,pty ssh-ed25519 AAAA svc-portal\n',
    );
    expect(readFileSync(path.join(root, 'server/etc/svc/origins'), 'utf8')).toBe('path\n');
    expect(script('accounts', ['subdomain', 'ssh-ed25519', 'BBBB']).status).toBe(0);
    expect(keys()).toEqual([]);
  });
});
