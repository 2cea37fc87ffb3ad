/**
 * Every token, secret, pass and cookie of a running portal is a canary: the bytes that a browser receives, the output of the commands, the
 * log, `/metrics`, the arguments of all processes and the environments and files of everybody else are searched for them, byte by byte.
 * @module-tag carries-state
 */
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { runSvc, runSvcWith } from '../../bin/testing/run-svc.ts';
import { tellCount } from '../support/counts.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { backendPids, order, view, whenState, writeDesired } from './world.ts';

const apps = ['notas', 'relogio', 'caderno', 'assinador'] as const;
const secret = 'canario-do-cofre-xyloq51b7';
/** Secrets that only their own process may hold, by the app; and secrets that only their browser may hold. */
const canaries = new Map<string, string>();
const received: Buffer[] = [];
const printed: string[] = [];
const argv = new Set<string>();
let folder: string;
let portal: RunningPortal;
let browser: Browser;
let looking: ReturnType<typeof setInterval>;

/** The values as they are, and as they would travel: in base64, hexadecimal and in a URL. */
function shapesOf(value: string): readonly Buffer[] {
  const bytes = Buffer.from(value);
  const inUrl = [...bytes].map((byte) => `%${byte.toString(16)}`).join('');
  return [value, bytes.toString('base64').replaceAll('=', ''), bytes.toString('hex'), inUrl].map((shape) => Buffer.from(shape));
}
const hitsIn = (bytes: Buffer, except: readonly string[] = []): readonly string[] =>
  [...canaries]
    .filter(([name]) => !except.includes(name))
    .flatMap(([name, value]) => (shapesOf(value).some((shape) => bytes.includes(shape)) ? [name] : []));

const environ = (pid: number): readonly string[] => readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
/** How often each process was read. */
let looks = new Map<string, number>();
/** Arguments change when a process begins, not later: one that was read ten times is read each tenth time only. */
function lookAtArguments(): void {
  const before = looks;
  looks = new Map();
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const nth = (before.get(pid) ?? 0) + 1;
    looks.set(pid, nth);
    if (nth > 10 && nth % 10 > 0) continue;
    try {
      argv.add(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    } catch {
      // It ended while we read it.
    }
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcc-'));
  portal = await startPortal({ desired: await writeDesired(join(folder, 'd'), { apps }) });
  looking = setInterval(lookAtArguments, 10);
  for (const app of apps) await until(`${app} in place`, async () => (await view(portal, `Backend/ana/${app}`)) !== null);
  const set = await runSvcWith(`${secret}\n`, folder, ['secret', 'set', 'ana/assinador', 'ASSINADOR_CHAVE', '--state', portal.state]);
  printed.push(set.out, set.err);
  for (const app of apps) {
    await order(portal, 'start', app);
    await whenState(portal, app, 'running');
  }
  const host = `svc.localhost:${portal.port}`;
  browser = createBrowser({ host, port: portal.port, url: `http://${host}`, received });
}, 240_000);
afterAll(async () => {
  clearInterval(looking);
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('the canaries live: each app was given what is its own', async () => {
  for (const app of apps) {
    const [pid = 0] = backendPids(portal.state, app);
    for (const entry of environ(pid)) {
      const [name = '', ...rest] = entry.split('=');
      if (/^SVC_\w*TOKEN$/.test(name) || name === 'ASSINADOR_CHAVE') canaries.set(`${app} ${name}`, rest.join('='));
    }
  }
  expect([...canaries.keys()].toSorted()).toEqual([
    'assinador ASSINADOR_CHAVE',
    'assinador SVC_APP_TOKEN',
    'caderno SVC_APP_TOKEN',
    'caderno SVC_PORTAL_TOKEN',
    'notas SVC_APP_TOKEN',
    'relogio SVC_APP_TOKEN',
  ]);
  expect(canaries.get('assinador ASSINADOR_CHAVE')).toBe(secret);
  expect(new Set(canaries.values()).size).toBe(canaries.size);
});

test('an app holds its own and nobody else’s', () => {
  for (const app of apps) {
    const own = [...canaries.keys()].filter((name) => name.startsWith(`${app} `));
    for (const pid of backendPids(portal.state, app)) expect(hitsIn(readFileSync(`/proc/${pid}/environ`), own)).toEqual([]);
  }
});

test('a browser that uses everything receives none of them', async () => {
  const { body } = await portal.admin('POST', '/api/admin/links', { person: 'ana', admin: true });
  const link = new URL((body as { readonly link: string }).link);
  canaries.set('the pass of a link', link.searchParams.get('passe') ?? '');
  const signedIn = await browser.request(link.pathname + link.search, { headers: navigation });
  expect(signedIn.status).toBe(302);
  const openapi = (await browser.call('GET', '/api/openapi.json')).json() as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  for (const [path, methods] of Object.entries(openapi.paths)) {
    for (const app of apps) {
      const to = path.replace('{id}', app).replace('{app}', app).replace('{person}', 'ana').replace('{nome}', 'ASSINADOR_CHAVE');
      for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
        // Requests that end or remove something are left out.
        if (method === 'DELETE' || /\/(stop|restart|sair|instalacao)$/.test(path) || path === '/api/sessao') continue;
        await browser.call(method, to, method === 'GET' ? undefined : {});
        // And as a mistake: the wrong body, the wrong method, half of a name.
        await browser.call(method === 'GET' ? 'POST' : 'GET', `${to}x`, method === 'GET' ? { value: 1 } : undefined);
      }
    }
  }
  for (const app of apps) {
    const page = await browser.visit(`http://${app}.svc.localhost:${portal.port}/`);
    expect([app, page.status]).toEqual([app, 200]);
    for (const path of ['/nada', '/api/nada', '/.env', '/../env', '/saude']) {
      await browser.request(path, { headers: { ...navigation, host: `${app}.svc.localhost:${portal.port}` } });
    }
  }
  const events = browser.socket('/ws/events');
  events.on('message', (data: Buffer) => received.push(data));
  await new Promise((resolve) => events.once('open', resolve));
  await order(portal, 'restart', 'notas');
  await whenState(portal, 'notas', 'running');
  events.close();
  const all = Buffer.concat(received);
  expect(all.length).toBeGreaterThan(100_000);
  // The cookies are the browser's own: they come in Set-Cookie lines, and never in another byte.
  for (const [host, line] of browser.cookies) canaries.set(`the cookie of ${host}`, line.split('=')[1] ?? '');
  const withoutCookies = Buffer.from(all.toString('latin1').replaceAll(/"__Host-svc=[^"]*"/g, ''), 'latin1');
  expect(hitsIn(withoutCookies)).toEqual([]);
});

test('neither do the commands, the log, the metrics and the arguments of any process', async () => {
  const asked: readonly (readonly string[])[] = [
    ['get'],
    ['get', '-o', 'json'],
    ['events'],
    ['doctor'],
    ['sessions'],
    ['sessions', '-o', 'json'],
    ['plan', '-o', 'json'],
    ...apps.flatMap((app) => [
      ['describe', `ana/${app}`],
      ['why', `ana/${app}`, '-o', 'json'],
      ['logs', `ana/${app}`],
      ['secret', 'list', `ana/${app}`, '-o', 'json'],
    ]),
    // Mistakes repeat what was typed at most.
    ['get', 'ana/nada'],
    ['why', 'nada'],
    ['start', 'ana/nada'],
  ];
  for (const args of asked) {
    const outcome = await runSvc(folder, [...args, '--state', portal.state]);
    printed.push(outcome.out, outcome.err);
  }
  const metrics = JSON.stringify((await portal.admin('GET', '/metrics')).body);
  lookAtArguments();
  const commandLines = [...argv].join('\n');
  expect(hitsIn(Buffer.from(printed.join('\n')))).toEqual([]);
  // The pass of the first link is printed for whoever started the portal; the ones that are asked for are answered to the caller.
  expect(hitsIn(Buffer.from(portal.output()))).toEqual([]);
  expect(hitsIn(Buffer.from(metrics))).toEqual([]);
  expect(hitsIn(Buffer.from(commandLines))).toEqual([]);
  expect(argv.size).toBeGreaterThan(20);
});

test('and on the disk each stands only where it belongs', () => {
  const files = readdirSync(portal.state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  let bytes = 0;
  const holders: string[] = [];
  for (const { name, parentPath } of files) {
    const path = join(parentPath, name);
    const content = readFileSync(path);
    bytes += content.length;
    for (const hit of hitsIn(content)) {
      const app = basename(parentPath);
      holders.push(`${hit} in ${path.startsWith(join(portal.state, 'home/ana/.svc-apps')) ? `${app}/` : ''}${name}`);
    }
  }
  // The token of notas ended with its restart.
  expect(holders.toSorted()).toEqual([
    'assinador ASSINADOR_CHAVE in assinador/secrets.json',
    'assinador SVC_APP_TOKEN in assinador/env',
    'caderno SVC_APP_TOKEN in caderno/env',
    'caderno SVC_PORTAL_TOKEN in caderno/env',
    'relogio SVC_APP_TOKEN in relogio/env',
  ]);
  const all = bytes + Buffer.concat(received).length + printed.join('').length + portal.output().length + [...argv].join('').length;
  tellCount(
    `canaries: ${canaries.size} in four shapes each, ${all} bytes searched, ${files.length} files, ${argv.size} command lines, 0 hits`,
  );
});
