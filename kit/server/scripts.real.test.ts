/**
 * The scripts of the kit with a real sh, tar and flock, below a folder that stands for a server: an attempt that dies at any step leaves a whole kit
 * current, and the next one ends as if nothing had been. test/server covers the parts that need systemd and accounts.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import os, { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { everyNth } from '../../test/support/share.ts';
import { serverKit } from './made.ts';
import { kitPrograms } from './parts.ts';

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
  const text = ['own', 'reload', name].map((each) => readFileSync(path.join(import.meta.dirname, `${each}.sh`), 'utf8')).join('');
  return spawnSync('sh', ['-s', '--', path.join(root, 'server'), ...words], {
    input: text,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
}

const answer = `[ "$*" = --version ] && echo 1`;

/** A small kit: its runtime is a program of the system, so that it can be seen running. `launcher` is one of its commands. */
function tarball(id: string, launcher = answer): { readonly id: string; readonly sum: string } {
  const folder = path.join(root, `make-${id}/svc`);
  for (const sub of ['node/bin', 'bin', 'sdk']) mkdirSync(path.join(folder, sub), { recursive: true });
  writeFileSync(path.join(folder, 'node/bin/node'), '#!/bin/sh\nexit 0\n');
  for (const name of ['sleep', 'svc-app-supervisor']) copyFileSync('/bin/sleep', path.join(folder, 'node/bin', name));
  writeFileSync(path.join(folder, 'bin/svc-app-install'), `#!/bin/sh\n${answer}\n`);
  writeFileSync(path.join(folder, 'bin/svc-app-run'), `#!/bin/sh\n${launcher}\n`);
  writeFileSync(path.join(folder, 'sdk/version'), id);
  writeFileSync(
    path.join(folder, 'kit.json'),
    `${JSON.stringify({ id, version: '1', try: '--version', commands: ['svc-app-install', 'svc-app-run'] })}\n`,
  );
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

  test.for(everyNth(3, steps))('is whole when an attempt dies at %s, and the next one ends well', (step) => {
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
    ['a command that does not run there', 11, () => tarball('1.1.0-bbbbbbbb', 'exit 127')],
    ['a command of another version', 11, () => tarball('1.1.0-bbbbbbbb', 'echo 2')],
  ] as const)('with %s is refused with code %i, and the one before stays', ([, code, make]) => {
    put(tarball('1.0.0-aaaaaaaa'));
    expect(put(make()).status).toBe(code);
    expect([current(), versions()]).toEqual(['1.0.0-aaaaaaaa', ['1.0.0-aaaaaaaa']]);
  });

  test.for([
    ['taken away', (file: string) => rmSync(file)],
    ['made unrunnable', (file: string) => chmodSync(file, 0o644)],
    ['damaged', (file: string) => writeFileSync(file, '#!/bin/sh\nexit 1\n')],
  ] as const)('that had a command %s is told, and the same kit put there again brings it back', ([how, spoil]) => {
    const kit = tarball('1.0.0-aaaaaaaa');
    put(kit);
    const linesOf = (name: string): readonly string[] => script(name, []).stdout.match(/^(kit_)?lacks .*$/gm) ?? [];
    const lacks = (): readonly string[] => [...linesOf('facts'), ...linesOf('try')];
    expect(lacks()).toEqual([]);
    spoil(path.join(base(), 'current/bin/svc-app-run'));
    // Only a start shows what is in it.
    expect(lacks()).toEqual([...(how === 'damaged' ? [] : ['kit_lacks svc-app-run']), 'lacks svc-app-run']);
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
    // Repeated by a caller that did not get the end, it is not undone.
    const back = script('rollback', ['9.9.9-99999999']);
    expect([back.status, back.stdout.trim()]).toEqual([0, 'kit 1.0.0-aaaaaaaa']);
    expect([current(), readlinkSync(path.join(base(), 'previous'))]).toEqual(['1.0.0-aaaaaaaa', '1.1.0-bbbbbbbb']);
  });
});

/** Every path below the server, with what it is: a file with its text, a link with where it leads. */
function listing(): readonly string[] {
  const top = path.join(root, 'server');
  return readdirSync(top, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const at = path.join(entry.parentPath, entry.name);
      const what = entry.isSymbolicLink() ? `-> ${readlinkSync(at)}` : entry.isFile() ? readFileSync(at, 'utf8') : '/';
      return `${path.relative(top, at)} ${what}`;
    })
    .toSorted();
}

function plant(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const at = path.join(root, 'server', name);
    mkdirSync(path.dirname(at), { recursive: true });
    if (text.startsWith('-> ')) symlinkSync(text.slice(3), at);
    else writeFileSync(at, text);
  }
}

/** Files of others, in the folders and under the patterns that the kit uses. */
const ofOthers = {
  'opt/svc/state/svc.db': 'rows',
  'opt/svc/desired/people.yaml': 'kind: Person',
  'opt/svc/0.0.1-0000aaaa/kit.json': '{"id":"0.0.1-0000bbbb"}',
  'opt/svc/0.0.1-0000cccc/notes': 'a name like that of a version',
  'opt/svc/svc': '-> /srv/svc',
  'opt/svc/.in/mine.tgz': 'an archive',
  'etc/svc/casa.yaml': 'kind: Portal',
  'etc/svc/origins': 'path',
  'etc/svc/portal/mine.env': 'SVC_PORTAL_URL=x',
  'etc/svc-kit/gpu.json': '{ "share": true }',
  'etc/svc-kit/authorized_keys/backup': 'ssh-ed25519 AAAA somebody',
  'usr/local/bin/svc-app-run': '-> /srv/svc/bin/svc-app-run',
  'usr/local/bin/svc-mine': '-> /opt/svc/state/mine',
  'usr/local/bin/svc-hello': 'a script',
  'root/.cache/svc/notes': 'mine',
  'root/.cache/svc/compile/v24.1.0-x64-00000000-0/notes': 'mine',
};

describe('the kit that set-up made', () => {
  test('starts each of its commands on the server, and names the one that does not load', async () => {
    const kit = await serverKit(path.resolve(import.meta.dirname, '../..'), os.machine());
    expect(script('prepare', []).status).toBe(0);
    copyFileSync(kit.file, path.join(base(), `.in/${kit.sha256}.tgz`));
    expect(script('install', [kit.id, kit.sha256])).toMatchObject({ status: 0, stderr: '' });
    const lacks = (): string => script('try', []).stdout;
    expect([current(), lacks()]).toEqual([kit.id, '']);
    // Node's compiled code for an administrator is made by the kit as well.
    const env = { PATH: process.env['PATH'], HOME: path.join(root, 'server/root') };
    mkdirSync(env.HOME);
    execFileSync(path.join(base(), 'current/bin/svc-app-list'), { env, input: '' });
    expect(readdirSync(path.join(env.HOME, '.cache/svc/compile'))).toHaveLength(1);
    // Nothing was written but what was in the tarball.
    expect(readdirSync(path.join(base(), 'current')).toSorted()).toEqual(['.sum', 'bin', 'build', 'kit', 'kit.json', 'node', 'sdk']);
    for (const { bundle } of kitPrograms) appendFileSync(path.join(base(), 'current/build/kit', bundle), '\n)');
    const commands = kitPrograms.flatMap(({ command }) => (command === null ? [] : [`lacks ${command}\n`]));
    expect(lacks()).toBe(commands.join(''));
    expect(script('remove', ['yes'], { HOME: '/root' }).stdout).toContain('step done');
    expect(listing().filter((line) => line.startsWith('root'))).toEqual(['root /', 'root/.cache /']);
  });
});

describe('what others keep where the kit is', () => {
  test('is as it was after the kit was put there, upgraded twice, gone back from and taken off', () => {
    plant(ofOthers);
    const before = listing();
    const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
    for (const [version, hex] of [
      ['1.0.0', 'aaaaaaaa'],
      ['1.1.0', 'bbbbbbbb'],
      ['1.2.0', 'cccccccc'],
    ] as const) {
      const { status, stdout } = put(tarball(`${version}-${hex}`));
      expect([status, stdout]).toEqual([0, expect.stringContaining('usr/local/bin/svc-app-run is not the kit') as string]);
      expect(script('accounts', ['path', 'ssh-ed25519', 'AAAA', '-', '-', user]).status).toBe(0);
    }
    expect(script('rollback', []).status).toBe(0);
    expect(listing()).toEqual(expect.arrayContaining([...before]));
    plant({
      'root/.cache/svc/compile/v24.1.0-x64-00000000-0/4c0f8433': 'compiled',
      'root/.cache/svc/compile/v24.1.0-x64-00000000-0/4c0f8433.Ab3xYz': 'half',
    });
    const removed = script('remove', ['yes'], { HOME: '/root' });
    expect([removed.status, removed.stdout]).toEqual([
      0,
      expect.stringMatching(/^left .*\/opt\/svc$[^]*^left .*\/etc\/svc-kit$/m) as string,
    ]);
    expect(listing()).toEqual(before);
  });

  test('is all that is left of the folder of an older kit, whose files moved', () => {
    const key = 'restrict,port-forwarding,pty ssh-ed25519 AAAA svc-portal\n';
    plant({ 'etc/svc/casa.yaml': 'kind: Portal' });
    const before = listing();
    plant({
      'etc/svc/authorized_keys/ana': key,
      'etc/svc/lingered/ana': '',
      'etc/svc/portal/mural.env': '# 0a\nSVC_PORTAL_TOKEN=t\n',
      'etc/svc/origins': 'path\n',
      'etc/svc/portal-key': 'ssh-ed25519 AAAA\n',
      'etc/svc/gpu.json': '{ "share": true }',
    });
    const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
    expect(script('accounts', ['path', 'ssh-ed25519', 'AAAA', '-', '-', user]).status).toBe(0);
    const now = listing();
    expect(now.filter((line) => !line.startsWith('etc/svc-kit'))).toEqual(before);
    for (const name of ['lingered/ana', 'portal/mural.env', 'gpu.json', 'origins', `authorized_keys/${user}`])
      expect(now.some((line) => line.startsWith(`etc/svc-kit/${name} `))).toBe(true);
  });

  test.for([
    ['opt/svc/bin/svc', 'opt/svc/bin'],
    ['opt/svc/current', 'opt/svc/current'],
    ['opt/svc/1.0.0-aaaaaaaa/notes', 'opt/svc/1.0.0-aaaaaaaa'],
  ] as const)('under a name that the kit needs (%s) is named, and nothing is changed', ([planted, taken]) => {
    plant({ [planted]: 'x' });
    const before = listing();
    const { status, stdout } = put(tarball('1.0.0-aaaaaaaa'));
    expect([status, stdout]).toEqual([16, `taken ${path.join(root, 'server', taken)}\n`]);
    expect(listing().filter((line) => !/^opt\/svc\/\.(in|lock)/.test(line))).toEqual(before);
  });

  test.for([
    ['opt', 0o777, 0],
    ['opt/svc', 0o777, 0],
    ['opt/svc', 0o755, 65_534],
  ] as const)('in a folder where others may write (%s, %i, owner %i) is not put, and nothing is changed', ([folder, mode, owner]) => {
    const at = path.join(root, 'server', folder);
    mkdirSync(path.join(root, 'server/opt/svc'), { recursive: true });
    chmodSync(at, mode);
    chownSync(at, owner, owner);
    const before = listing();
    const { status, stdout } = script('prepare', []);
    expect([status, stdout]).toEqual([17, `foreign ${at}\n`]);
    expect(listing()).toEqual(before);
  });

  test('goes on running when it is taken off', async () => {
    put(tarball('1.0.0-aaaaaaaa'));
    mkdirSync(path.join(base(), 'clone'));
    copyFileSync('/bin/sleep', path.join(base(), 'clone/node'));
    const child = spawn(path.join(base(), 'clone/node'), ['60']);
    running.push(child);
    await once(child, 'spawn');
    expect(script('remove', ['no']).status).toBe(0);
    expect(child.exitCode ?? child.signalCode).toBe(null);
    expect(readdirSync(base())).toEqual(['clone']);
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
    const { stdout: several } = script('facts', ['root', 'no-such-account-of-svc', 'nobody']);
    expect(several.match(/^account \S+ (?:missing|found uid=\d+)/gm)).toEqual([
      'account root found uid=0',
      'account no-such-account-of-svc missing',
      'account nobody found uid=65534',
    ]);
    expect(several).toMatch(/^account root .* home=yes shell=yes free_kb=\d+$/m);
  });

  test('keys come and go with the people', () => {
    const user = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
    const keys = (): readonly string[] => readdirSync(path.join(root, 'server/etc/svc-kit/authorized_keys'));
    expect(script('accounts', ['path', 'ssh-ed25519', 'AAAA', '-', '-', user, 'no-such-account-of-svc']).stdout).toBe(
      'missing no-such-account-of-svc\n',
    );
    expect(keys()).toEqual([user]);
    expect(readFileSync(path.join(root, 'server/etc/svc-kit/authorized_keys', user), 'utf8')).toBe(
      'restrict,port-forwarding,pty ssh-ed25519 AAAA svc-portal\n',
    );
    expect(readFileSync(path.join(root, 'server/etc/svc-kit/origins'), 'utf8')).toBe('path\n');
    // A directory may not answer for a moment: the key of an account that is named stays.
    const away = path.join(root, 'server/etc/svc-kit/authorized_keys/no-such-account-of-svc');
    copyFileSync(path.join(root, 'server/etc/svc-kit/authorized_keys', user), away);
    script('accounts', ['path', 'ssh-ed25519', 'AAAA', '-', '-', user, 'no-such-account-of-svc']);
    expect(keys()).toContain('no-such-account-of-svc');
    // A key file that says what it is to say is not written again.
    const file = path.join(root, 'server/etc/svc-kit/authorized_keys', user);
    const { ino } = statSync(file);
    script('accounts', ['path', 'ssh-ed25519', 'AAAA', '-', '-', user]);
    expect(statSync(file).ino).toBe(ino);
    script('accounts', ['path', 'ssh-ed25519', 'AAAA', 'ssh-ed25519', 'CCCC', user]);
    expect(readFileSync(file, 'utf8')).toBe(
      'restrict,port-forwarding,pty ssh-ed25519 AAAA svc-portal\nrestrict,port-forwarding,pty ssh-ed25519 CCCC svc-portal\n',
    );
    expect(script('accounts', ['subdomain', 'ssh-ed25519', 'BBBB', '-', '-']).status).toBe(0);
    expect(keys()).toEqual([]);
  });
});
