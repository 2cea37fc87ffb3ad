/**
 * The command `svc` against a real portal: exit codes and what is printed.
 *
 * @module-tag carries-state
 */
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginSvc, runSvc } from '../../bin/testing/run-svc.ts';
import type { PlanAnswer, WhyAnswer } from '../../schema/gateway.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { view, whenState, writeDesired } from './world.ts';

let folder: string;
let portal: RunningPortal;
let desired: string;
const ask = (...args: string[]) => runSvc(folder, [...args, '--state', portal.state]);
const json = async <T>(...args: string[]) => JSON.parse((await ask(...args, '-o', 'json')).out) as T;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcl-'));
  desired = await writeDesired(join(folder, 'd'), { apps: ['notas', 'relogio'] });
  portal = await startPortal({ desired });
  await until('the packages in place', async () => (await view(portal, 'Backend/ana/relogio')) !== null);
});
afterAll(async () => {
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('start, why, logs, restart, stop: each waits for its outcome', async () => {
  expect(await ask('start', 'ana/notas')).toMatchObject({ code: 0, out: expect.stringMatching(/^ana\/notas {2}running {2}Healthy/) });
  expect((await ask('why', 'ana/notas')).out).toMatch(/^Backend\/ana\/notas is running/);
  expect((await ask('logs', 'ana/notas', '--tail', '1')).out).toContain('[notas]');
  const before = (await whenState(portal, 'notas', 'running')).details['pid'];
  expect(await ask('restart', 'ana/notas')).toMatchObject({ code: 0, out: expect.stringContaining('running') });
  expect((await whenState(portal, 'notas', 'running')).details['pid']).not.toBe(before);
  expect((await ask('logs', 'ana/notas', '--previous')).out).toContain('[notas]');
  expect(await ask('stop', 'ana/notas')).toMatchObject({ code: 0, out: expect.stringContaining('StoppedByAdmin') });
  expect((await json<WhyAnswer>('why', 'ana/notas')).key).toBe('Backend/ana/notas');
});

test('tables fit 80 columns; JSON and YAML hold the whole objects', async () => {
  const { out } = await ask('get');
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(out).toContain('Backend/ana/relogio');
  const objects = await json<ObjectView[]>('get', 'backends');
  expect(objects.map(({ key }) => key)).toEqual(['Backend/ana/notas', 'Backend/ana/relogio']);
  expect((await ask('get', 'ana/notas', '-o', 'yaml')).out).toMatch(/^- key: Backend\/ana\/notas\n/);
  expect((await ask('describe', 'ana/notas')).out).toMatch(/Conditions\nTYPE[\s\S]*Details[\s\S]*Events\nTIME/);
  expect(await ask('get', 'ana/nada')).toMatchObject({ code: 1, err: expect.stringContaining('NOT_FOUND') });
});

test('plan exits 0, 2 and 1, with a portal and without', async () => {
  expect(await ask('plan', desired)).toMatchObject({ code: 0, out: 'Nothing to change.\n' });
  const more = await writeDesired(join(folder, 'more'), { apps: ['notas', 'relogio'], pinned: ['relogio'] });
  expect(await ask('plan', more)).toMatchObject({ code: 2, out: expect.stringContaining('Backend/ana/relogio') });
  const broken = join(folder, 'broken');
  await mkdir(broken);
  await writeFile(join(broken, 'a.yaml'), 'apiVersion: svc/v1\nkind: Persn\n');
  expect(await ask('plan', broken)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/a\.yaml:2:7 UNKNOWN_KIND .*\n.*\n.*\^\^\^\^\^ did you mean "Person"\?/),
  });
  const offline = await runSvc(folder, ['plan', more, '--state', join(folder, 'fresh'), '-o', 'json']);
  expect(offline.code).toBe(2);
  expect((JSON.parse(offline.out) as PlanAnswer).changes.map(({ key }) => key)).toContain('Package/relogio');
});

test('events follow as they happen', async () => {
  const { child, text } = beginSvc(folder, ['events', 'ana/relogio', '-f', '--state', portal.state]);
  await until('the head of the table', () => text.out.includes('TIME'));
  await ask('start', 'ana/relogio');
  await until('the event of the start', () => text.out.includes('Healthy'));
  expect(text.out).toContain('stopped → starting');
  child.kill();
  await once(child, 'close');
});

test('events takes a kind, the start of a key and a name', async () => {
  const keysOf = async (text: string): Promise<ReadonlySet<string>> => {
    const { out } = await ask('events', text, '-o', 'json');
    return new Set((JSON.parse(out) as { key: string }[]).map(({ key }) => key));
  };
  expect([...(await keysOf('Package'))].sort()).toEqual(['Package/notas', 'Package/relogio']);
  expect([...(await keysOf('Backend/ana'))]).toContain('Backend/ana/relogio');
  const all = await keysOf('ana');
  for (const key of ['Backend/ana/relogio', 'Supervisor/ana', 'Person/ana']) expect(all).toContain(key);
  expect(all).not.toContain('Package/notas');
});

test('logs follow as they are written, and Ctrl-C ends them quietly', async () => {
  await ask('start', 'ana/notas');
  const { child, text } = beginSvc(folder, ['logs', '-f', 'ana/notas', '--state', portal.state]);
  await until('the tail', () => text.out.includes('[notas]'));
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ code, err: text.err }).toEqual({ code: 0, err: '' });
});

test('a link is printed alone on stdout', async () => {
  const { out, err } = await ask('link', 'ana');
  expect(out).toMatch(/^http:\/\/svc\.localhost:\d+\/\?passe=[\w-]{40,}\n$/);
  expect(err).toMatch(/^signs in ana, once, within /);
});

test('sessions are listed, and ended by id or all', async () => {
  const enter = async (): Promise<string> => {
    const { pathname, search } = new URL((await ask('link', 'ana')).out.trim());
    const headers = { host: `svc.localhost:${portal.port}`, accept: 'text/html', 'user-agent': 'a test' };
    const call = request({ host: '127.0.0.1', port: portal.port, path: pathname + search, headers });
    call.end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    return answer.headers['set-cookie']?.[0] ?? '';
  };
  expect((await ask('sessions')).out).toBe('Nobody is signed in.\n');
  await enter();
  await enter();
  const listed = await json<{ id: string; person: string; agent: string }[]>('sessions', 'ana');
  expect(listed).toMatchObject([{ person: 'ana', agent: 'a test', method: 'link' }, { person: 'ana' }]);
  expect((await ask('sessions')).out).toMatch(/^PERSON +ID +BY +FROM +USED +ENDS IN +BROWSER\nana +[\w-]{22} +link +127\.0\.0\.1 /);
  expect((await ask('sessions', 'ana', '--revoke', listed[0]?.id ?? '')).err).toBe('1 session ended\n');
  expect((await ask('sessions', 'ana', '--revoke')).err).toBe('1 session ended\n');
  expect((await ask('sessions')).out).toBe('Nobody is signed in.\n');
  expect(await ask('sessions', '--revoke')).toMatchObject({ code: 1, err: 'svc: BAD_REQUEST whose? svc sessions PERSON --revoke\n' });
  expect((await ask('sessions', 'zoe')).err).toMatch(/^svc: NOT_FOUND /);
});

test('apply reads the folder and waits for --prune before it removes all of a kind', async () => {
  await writeDesired(desired, { apps: [] });
  const held = await ask('apply');
  expect(held.code).toBe(2);
  expect(held.out).toMatch(/held {2}Package\/notas: not removed without: svc apply --prune/);
  expect(await ask('apply', '--prune')).toMatchObject({ code: 0 });
  await until(
    'the packages gone',
    async () => (await view(portal, 'Package/notas')) === null && (await view(portal, 'Package/relogio')) === null,
  );
  await until('the backend objects gone', async () => (await view(portal, 'Backend/ana/notas')) === null);
});
