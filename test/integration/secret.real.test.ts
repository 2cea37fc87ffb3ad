/**
 * `svc secret` and `svc why` against a real portal: what an administrator may do with a person's secrets, and that nobody reads one.
 *
 * @module-tag carries-state
 */
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository, runSvc, runSvcWith } from '../../bin/testing/run-svc.ts';
import type { SecretsView } from '../../schema/wire/http.ts';
import type { WhyAnswer } from '../../schema/gateway.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { view, whenInstalled, whenState, writeDesired } from './world.ts';

let folder: string;
let portal: RunningPortal;
const said: string[] = [];
const ask = async (...args: string[]) => {
  const outcome = await runSvc(folder, [...args, '--state', portal.state]);
  said.push(outcome.out, outcome.err);
  return outcome;
};
const set = async (name: string, input: string | Uint8Array) => {
  const outcome = await runSvcWith(input, folder, ['secret', 'set', 'ana/assinador', name, '--state', portal.state]);
  said.push(outcome.out, outcome.err);
  return outcome;
};
/** Its mark is long and no hexadecimal, so that it stands in no hash by chance. */
const mark = 'xyloq51b7';
const canary = `canary-${mark}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcs-'));
  portal = await startPortal({ desired: await writeDesired(join(folder, 'd'), { apps: ['assinador', 'placa'] }) });
  await whenInstalled(portal, 'assinador', 'placa');
});
afterAll(async () => {
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('a secret is set from stdin, listed by name, and removed', async () => {
  expect((await ask('secret', 'list', 'ana/assinador')).out).toMatch(
    /^NAME +STATE +DESCRIPTION\nASSINADOR_CHAVE +missing .*\nASSINADOR_CHAVE_ANTERIOR +not set /,
  );
  expect(await set('ASSINADOR_CHAVE', `${canary}\n`)).toMatchObject({ code: 0, out: expect.stringMatching(/ASSINADOR_CHAVE +set /) });
  const { secrets } = JSON.parse((await ask('secret', 'list', 'ana/assinador', '-o', 'json')).out) as SecretsView;
  expect(secrets.map((secret) => secret.set)).toEqual([true, false]);
  expect((await ask('secret', 'remove', 'ana/assinador', 'ASSINADOR_CHAVE')).out).toMatch(/ASSINADOR_CHAVE +missing/);
  expect(await ask('secret', 'list', 'ana/placa')).toMatchObject({ code: 0, out: 'the app asks for no secrets\n' });
});

test('typed at a terminal, it is not shown', async () => {
  const typed = `
import os, pty, sys
child, fd = pty.fork()
if child == 0: os.execv(sys.argv[1], sys.argv[1:])
seen = b''
while b'ASSINADOR_CHAVE: ' not in seen: seen += os.read(fd, 4096)
import time, termios
while termios.tcgetattr(fd)[3] & termios.ECHO: time.sleep(0.01)
os.write(fd, b'errada\\x7f\\x7f\\x7f\\x7f\\x7f\\x7f${canary}\\r')
try:
    while True:
        more = os.read(fd, 4096)
        if not more: break
        seen += more
except OSError: pass
sys.stdout.write(seen.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))`;
  const args = [join(repository, 'bin/svc'), 'secret', 'set', 'ana/assinador', 'ASSINADOR_CHAVE', '--state', portal.state];
  const { stdout } = await promisify(execFile)('python3', ['-c', typed, ...args], { cwd: folder });
  said.push(stdout);
  expect(stdout).toMatch(/^ASSINADOR_CHAVE: \r?\n/);
  expect(stdout).not.toMatch(/errada|canary/);
  expect(JSON.parse(readFileSync(join(portal.state, 'home/ana/.svc-apps/assinador/secrets.json'), 'utf8'))).toEqual({
    ASSINADOR_CHAVE: canary,
  });
  await ask('secret', 'remove', 'ana/assinador', 'ASSINADOR_CHAVE');
});

test.each([
  ['OUTRA', canary, 'SECRET_UNDECLARED'],
  ['ASSINADOR_CHAVE', '', 'BAD_REQUEST'],
  ['ASSINADOR_CHAVE', `${canary}\0more\n`, 'SECRET_REFUSED'],
  ['ASSINADOR_CHAVE', Buffer.from(`${canary}\xe9\xff`, 'latin1'), 'SECRET_REFUSED'],
  ['ASSINADOR_CHAVE', `${canary}${'x'.repeat(20_000)}`, 'TOO_LARGE'],
  ['chave', canary, 'BAD_REQUEST'],
])('%s with what can not be one is refused', async (name, input, code) => {
  expect(await set(name, input)).toMatchObject({ code: 1, err: expect.stringContaining(code) });
});

test.each([
  [['ASSINADOR_CHAVE', canary]],
  [['ASSINADOR_CHAVE', `--${canary}`]],
  [['ASSINADOR_CHAVE', `--value=${canary}`]],
  [[`--value=${canary}`]],
  [[canary]],
])('a value on the command line is refused and not repeated: %j', async (words) => {
  const outcome = await runSvcWith('', folder, ['secret', 'set', 'ana/assinador', ...words, '--state', portal.state]);
  expect(outcome).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/BAD_REQUEST .*standard input/) });
  expect(outcome.err).not.toContain('canary');
});

test('svc why tells what is missing, and what a restart would bring', async () => {
  const why = async () => JSON.parse((await ask('why', 'ana/assinador', '-o', 'json')).out) as WhyAnswer;
  await ask('start', 'ana/assinador');
  const running = await whenState(portal, 'assinador', 'running');
  expect(running.details['secrets']).toEqual({ declared: 2, missing: ['ASSINADOR_CHAVE'], restartNeeded: false });
  expect(await why()).toMatchObject({
    sentence: expect.stringContaining('It lacks secrets that its manifest marks as required: ASSINADOR_CHAVE.'),
    fix: 'set what is missing: svc secret set ana/assinador ASSINADOR_CHAVE',
  });
  expect(await set('ASSINADOR_CHAVE', canary)).toMatchObject({ code: 0, err: expect.stringContaining('svc restart ana/assinador') });
  await until('the answer is told', async () => (await why()).sentence.includes('It runs with other secrets than are stored now.'));
  await ask('restart', 'ana/assinador');
  await until('nothing is to be said', async () => !/secrets/.test((await why()).sentence));
});

test('the verdict on the GPU is in svc describe, svc why and svc doctor', async () => {
  await ask('start', 'ana/placa');
  const { details } = await whenState(portal, 'placa', 'running');
  expect(details['gpuVerdict']).toMatchObject({ modo: 'opcional', concedida: expect.any(Boolean), motivo: expect.any(String) });
  expect((await ask('describe', 'ana/placa')).out).toContain('gpuVerdict:');
  if ((details['gpuVerdict'] as { concedida: boolean }).concedida) return;
  expect((await ask('why', 'ana/placa')).out.replaceAll(/\s+/g, ' ')).toContain('It runs without a GPU:');
  expect((await ask('doctor')).out).toMatch(/^ok +gpu /m);
});

test('no output, no log and no file but the vault ever held the value', async () => {
  await until('the database holds what was told', async () => (await view(portal, 'Backend/ana/assinador')) !== null);
  expect(said.join('\n')).not.toContain(mark);
  expect(portal.output()).not.toContain(mark);
  const holders = readdirSync(portal.state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(mark))
    .map(({ name, parentPath }) => join(parentPath, name));
  expect(holders).toEqual([join(portal.state, 'home/ana/.svc-apps/assinador/secrets.json')]);
  expect((await ask('get', 'ana/assinador')).code).toBe(0);
});
