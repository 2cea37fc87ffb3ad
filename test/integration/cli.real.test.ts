/**
 * The command `svc` against a real portal: exit codes and what is printed.
 *
 * @module-tag carries-state
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginSvc, runSvc } from '../../bin/testing/run-svc.ts';
import type { PlanAnswer, WhyAnswer } from '../../schema/gateway.ts';
import type { ObjectView, UsageRow } from '../../schema/wire/http.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { order, view, whenInstalled, whenState, writeDesired } from './world.ts';

let folder: string;
let portal: RunningPortal;
let desired: string;
const ask = (...args: string[]) => runSvc(folder, [...args, '--state', portal.state]);
const json = async <T>(...args: string[]) => JSON.parse((await ask(...args, '-o', 'json')).out) as T;

/** Brings an app up over the control socket, without a process of its own, where no test is about that. */
async function bringUp(app: string): Promise<void> {
  await order(portal, 'start', app);
  await whenState(portal, app, 'running');
}
async function takeDown(app: string): Promise<void> {
  await order(portal, 'stop', app);
  await whenState(portal, app, 'stopped');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcl-'));
  desired = await writeDesired(join(folder, 'd'), { apps: ['notas', 'relogio'] });
  portal = await startPortal({ desired });
  await whenInstalled(portal, 'notas', 'relogio');
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
  const why = await json<WhyAnswer>('why', 'ana/notas');
  expect([why.key, why.sentence]).toEqual([
    'Backend/ana/notas',
    expect.stringContaining(`an administrator stopped it: ${userInfo().username} (uid `),
  ]);
});

test('tables fit 80 columns; JSON and YAML hold the whole objects', async () => {
  const narrow = await runSvc(folder, ['get', '--state', portal.state], { COLUMNS: '80' });
  const { out } = narrow;
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(out).toContain('Backend/ana/relogio');
  const objects = await json<ObjectView[]>('get', 'backends');
  expect(objects.map(({ key }) => key)).toEqual(['Backend/ana/notas', 'Backend/ana/relogio']);
  expect((await ask('get', 'ana/notas', '-o', 'yaml')).out).toMatch(/^- key: Backend\/ana\/notas\n/);
  expect((await ask('describe', 'ana/notas')).out).toMatch(/Conditions\nTYPE[\s\S]*Details[\s\S]*Events\nTIME/);
  expect(await ask('get', 'ana/nada')).toMatchObject({ code: 1, err: expect.stringContaining('NOT_FOUND') });
});

test('wide lists have more columns, and describe, json and yaml are as ever', async () => {
  expect((await ask('get', 'ana/notas', '-o', 'wide')).out).toMatch(
    /^OBJECT +STATE .* REASON +SERVER +INSTALLED +PID +SEEN +MESSAGE\nBackend\/ana\/notas .* casa +1\.\d+\.\d+ /,
  );
  for (const args of [['events'], ['top'], ['sessions'], ['jobs', 'get'], ['plan', desired]])
    expect(await ask(...args, '-o', 'wide')).toMatchObject({ code: 0, err: '' });
});

/** Types into the shell, a tab being a tab, each text once what stands beside it was shown; returns the output of the terminal. */
async function typed(shell: string, texts: readonly (readonly [text: string, shown: RegExp])[]): Promise<string> {
  const env = { ...process.env, PATH: `${join(repository, 'bin')}:${process.env['PATH']}`, HOME: folder, TERM: 'xterm', COLUMNS: '200' };
  const terminal = spawn('script', ['-qec', shell, '/dev/null'], { cwd: folder, env });
  let shown = '';
  terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const closed = once(terminal, 'close');
  try {
    for (const [text, comes] of texts) {
      const before = shown.length;
      terminal.stdin.write(`${text}\n`);
      await until(`${shell} shows ${comes.source}`, () => comes.test(shown.slice(before))).catch((error: unknown) => {
        throw new Error(`${(error as Error).message}; it shows ${JSON.stringify(shown)}`);
      });
    }
    terminal.stdin.write('exit\n');
    await closed;
  } finally {
    terminal.kill('SIGKILL');
  }
  return shown;
}

test.concurrent.for([
  ['bash', 'bash --norc --noprofile -i', ['source <(svc completion bash)']],
  ['zsh', 'zsh -f -i', ['autoload -U compinit; compinit -D', 'source <(svc completion zsh)']],
  ['fish', 'fish --no-config -i', ['svc completion fish | source']],
] as const)('%s completes commands, options, folders and the names of the portal', async ([, shell, load]) => {
  const shown = await typed(shell, [
    // The shell writes this word once it read all before it.
    [[...load, "printf 're%s\\n' ady"].join('; '), /ready/],
    // The portal knows the name, the program the command and the option, the shell the folder.
    [`svc wh\t--sta\t ${portal.state.slice(0, -1)}\t ana/no\t`, /Backend\/ana\/notas is stopped/],
  ]);
  expect(shown).toMatch(/Backend\/ana\/notas is stopped/);
});

test('a crash is told by events, why and get, also when it was mended before anybody looked', async () => {
  await bringUp('notas');
  const before = (await whenState(portal, 'notas', 'running')).details['pid'] as number;
  const events = async () =>
    (await json<{ reason: string; message: string }[]>('events', 'ana/notas')).filter((one) => one.reason === 'Crashed');
  expect(await events()).toEqual([]);
  process.kill(before, 'SIGKILL');
  await until('it runs again', async () => {
    const { details, state } = await whenState(portal, 'notas', 'running');
    return state === 'running' && details['pid'] !== before && details['pid'] !== null;
  });
  const [crash, ...others] = await events();
  expect(others).toEqual([]);
  expect(crash?.message).toContain('ended by SIGKILL');
  const why = await json<WhyAnswer>('why', 'ana/notas');
  expect(why.sentence).toMatch(
    /is running since .* It was restarted once by itself since it was started, the last time at .*\(Crashed: ended by SIGKILL\)/,
  );
  const [, row = ''] = (await ask('get', 'ana/notas')).out.split('\n');
  expect(row).toMatch(/^Backend\/ana\/notas +running +\d+s +1 +Healthy/);
  await takeDown('notas');
});

test('get takes a name and a kind with a name, cuts nothing in a pipe, and follows', async () => {
  const keys = async (...args: string[]) => (await json<ObjectView[]>('get', ...args)).map(({ key }) => key);
  expect(await keys('backends', 'ana')).toEqual(['Backend/ana/notas', 'Backend/ana/relogio']);
  expect(await keys('ana')).toEqual(expect.arrayContaining(['Backend/ana/notas', 'Person/ana', 'Supervisor/ana']));
  expect(await ask('get', 'ninguem')).toMatchObject({ code: 1, err: 'svc: NOT_FOUND no object ninguem; svc get lists them\n' });
  expect(await ask('get', 'backnds')).toMatchObject({
    code: 1,
    err: 'svc: NOT_FOUND no object backnds; did you mean "backends"?; svc get lists them\n',
  });
  const [stopped] = await json<ObjectView[]>('get', 'ana/relogio');
  expect((await ask('get', 'ana/relogio')).out).toContain(stopped?.message);
  const { child, text } = beginSvc(folder, ['get', 'ana', '-w', '--state', portal.state]);
  await until('the table', () => text.out.includes('Backend/ana/relogio'));
  const before = text.out.length;
  await ask('restart', 'ana/relogio');
  await until('the line of what changed', () => /Backend\/ana\/relogio +running/.test(text.out.slice(before)));
  expect(text.out.slice(before)).not.toContain('Person/ana');
  child.kill();
  await once(child, 'close');
  await takeDown('relogio');
});

test('top tells once in a pipe what runs and what it uses, and goes on upon a terminal', async () => {
  expect((await ask('top')).out).toBe('Nothing runs.\n');
  await bringUp('notas');
  const { out } = await ask('top');
  expect(out).toMatch(/^1 app, CPU \d+\.\d%, memory \d+(\.\d)? MB, \d+ tasks\nBACKEND +CPU +MEMORY/);
  expect(out).toMatch(/\nana\/notas +\d+\.\d% +\d+(\.\d)? MB +\d+ +\d+s +running +casa\n$/);
  const [row] = await json<UsageRow[]>('top', 'ana');
  expect(row).toMatchObject({
    person: 'ana',
    app: 'notas',
    state: 'running',
    uso: { cpu: expect.any(Number), tarefas: expect.any(Number) },
  });
  expect(row?.uso?.memoria).toBeGreaterThan(1_000_000);
  expect(await ask('top', 'ninguem')).toMatchObject({ code: 1, err: expect.stringContaining('NOT_FOUND') });
  const terminal = spawn('script', ['-qec', `${join(repository, 'bin/svc')} top --state ${portal.state}`, '/dev/null'], { cwd: folder });
  let shown = '';
  terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  await until('two pictures', () => shown.split('\u001b[H\u001b[J').length > 2);
  terminal.stdin.write('q');
  const [code] = await once(terminal, 'close');
  expect(code).toBe(0);
  expect(shown).toMatch(/\u001b\[\?1049l\s*$/);
  await takeDown('notas');
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
  await bringUp('relogio');
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
  await bringUp('notas');
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
    const fetched = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
    const headers = { host: `svc.localhost:${portal.port}`, accept: 'text/html', 'user-agent': 'a test', ...fetched };
    const call = request({ host: '127.0.0.1', port: portal.port, path: pathname + search, headers });
    call.end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    return answer.headers['set-cookie']?.[0] ?? '';
  };
  expect((await ask('sessions')).out).toBe('No one is signed in.\n');
  await enter();
  // Source: rules 3.3 supervisor rule 5. A server with a prefix is observed and left as it is.
  const isOn = ['/run/systemd/system', `/var/lib/systemd/linger/${userInfo().username}`].every((path) => existsSync(path));
  const told = (): number => portal.output().match(/"key":"Person\/ana".*"lingering":"(?:none|off)"/g)?.length ?? 0;
  await expect.poll(told).toBe(isOn ? 0 : 1);
  await enter();
  const listed = await json<{ id: string; person: string; agent: string }[]>('sessions', 'ana');
  expect(listed).toMatchObject([{ person: 'ana', agent: 'a test', method: 'link' }, { person: 'ana' }]);
  expect((await ask('sessions')).out).toMatch(/^PERSON +ID +BY +FROM +USED +ENDS IN +BROWSER\nana +[\w-]{22} +link +127\.0\.0\.1 /);
  expect((await ask('sessions', 'ana', '--revoke', listed[0]?.id ?? '')).err).toBe('1 session ended\n');
  expect((await ask('sessions', 'ana', '--revoke')).err).toBe('1 session ended\n');
  expect((await ask('sessions')).out).toBe('No one is signed in.\n');
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
