/** The control socket of the command line, the doctor and /metrics. */
import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import about from '../../package.json' with { type: 'json' };
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let portal: PortalWorld;
let ana: Browser;

beforeAll(async () => {
  portal = await createPortalWorld();
  ana = await portal.signedIn('ana');
  await portal.world.backend('ana', 'notas').start();
  await ana.visit(`http://${portal.appHost('notas')}/`);
});
afterAll(() => portal.close());

describe('the control socket', () => {
  test('is for the owner of the portal only', async () => {
    expect((await stat(portal.controlSocket)).mode & 0o777).toBe(0o600);
  });

  test('answers the command line without a session', async () => {
    expect((await portal.control('GET', '/api/admin/objects?prefix=Server/')).json()).toEqual([]);
    expect((await portal.control('GET', '/api/admin/why?key=Backend/ana/notas')).json()).toMatchObject({ sentence: 'it waits' });
    expect((await portal.control('GET', '/api/admin/why?key=Nada/x')).status).toBe(404);
    expect((await portal.control('GET', '/api/admin/events?limit=5')).json()).toEqual({ events: [] });
    const plan: unknown = (await portal.control('POST', '/api/admin/plan', { dir: null })).json();
    expect(plan).toMatchObject({ ok: true, changes: [{ key: 'Grant/a', action: 'grant/revoke', detail: 'ana', reason: 'PersonRemoved' }] });
    expect((await portal.control('POST', '/api/admin/apply', { prune: true })).json()).toMatchObject({ ok: true });
    expect((await portal.control('GET', '/api/admin/backends/ana/notas/log?tail=1')).status).toBe(200);
    expect((await portal.control('GET', '/api/apps')).json()).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('gives sign-in links', async () => {
    const given: { person: string; link: string } = (await portal.control('POST', '/api/admin/links', { person: 'bia' })).json();
    expect(given.person).toBe('bia');
    // Actions are logged with their actor, and without any query.
    const acts = portal.logLines
      .map((line) => JSON.parse(line) as { readonly path?: string })
      .filter(({ path }) => path === '/api/admin/links');
    expect(acts.at(-1)).toMatchObject({ uid: null, method: 'POST', person: 'control' });
    const browser = portal.browser();
    expect((await browser.visit(given.link)).url).toBe(`${portal.url}/`);
    expect((await browser.call('GET', '/api/sessao')).json()).toMatchObject({ usuario: 'bia', admin: false });
    expect((await portal.control('POST', '/api/admin/links', { person: 'caio' })).status).toBe(404);
    expect((await portal.control('POST', '/api/admin/links')).json()).toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('the doctor looks at the real thing', async () => {
    const { checks }: { checks: { name: string; ok: boolean; fix: string | null }[] } = (
      await portal.control('GET', '/api/admin/doctor')
    ).json();
    const verdicts = Object.fromEntries(checks.map(({ name, ok }) => [name, ok]));
    expect(verdicts).toMatchObject({
      listen: true,
      store: true,
      shell: true,
      sdk: true,
      node: true,
      python3: true,
      servers: false,
      'sign-in': true,
      subdomains: true,
    });
    expect(checks.every(({ ok, fix }) => ok || fix !== null)).toBe(true);
  });

  test('the doctor speaks Portuguese and English, whole: no line of the one stands in the other', async () => {
    const rows = async (
      query: string,
    ): Promise<readonly { readonly name: string; readonly detail: string; readonly fix: string | null }[]> =>
      (await portal.control('GET', `/api/admin/doctor${query}`)).json().checks;
    const [told, en, pt] = [await rows(''), await rows('?idioma=en'), await rows('?idioma=pt')];
    expect(told.map(({ name }) => name)).toEqual(en.map(({ name }) => name));
    expect(pt.map(({ name }) => name)).toEqual(en.map(({ name }) => name));
    // A version, as a program says it, is no sentence.
    const same = pt.filter(({ detail }, index) => detail === en[index]!.detail).map(({ name }) => name);
    expect(same.filter((name) => !['node', 'python3', 'flock', 'sign-in'].includes(name))).toEqual([]);
    expect((await portal.control('GET', '/api/admin/doctor?idioma=fr')).status).toBe(400);
  });

  test('an admin link gives a browser the same rights, another session does not', async () => {
    const admin = await portal.signedIn('ana', { admin: true });
    expect((await admin.call('GET', '/api/admin/objects')).status).toBe(200);
    expect((await ana.call('GET', '/api/admin/objects')).json()).toMatchObject({ code: 'FORBIDDEN' });
    expect((await portal.browser().call('GET', '/api/admin/objects')).status).toBe(401);
  });
});

// Source: rules 9.
test('a portal without a repository has the schema of the manifest of its own version, without a session', async () => {
  const ask = (path: string, headers = {}) => portal.browser().request(path, { headers });
  const [own, current] = [await ask(`/v1/esquema/svc-app/${about.version}.json`), await ask('/v1/esquema/svc-app/atual.json')];
  expect([own.status, current.status, own.text === current.text]).toEqual([200, 200, true]);
  expect(JSON.parse(own.text)).toMatchObject({ $id: `urn:svc:esquema:svc-app:${about.version}`, required: ['id', 'version', 'backend'] });
  expect((await ask('/v1/esquema/svc-app/atual.json', { 'if-none-match': String(own.headers['etag']) })).status).toBe(304);
  expect((await ask('/v1/esquema/svc-app/0.0.0.json')).status).toBe(404);
  expect((await ask('/v1/esquema/svc-app/..%2fatual.json')).status).toBe(404);
});

describe('a reverse proxy on this machine asks for which names it may get certificates', () => {
  const ask = async (name: string, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
    (
      await portal
        .browser()
        .request(`/api/certificado?domain=${encodeURIComponent(name)}`, { headers: { host: '127.0.0.1:9', ...headers } })
    ).status;
  test.for([
    ['svc.localhost', 204],
    ['SVC.localhost', 204],
    ['notas.svc.localhost', 204],
    ['xn--prvia-csa.svc.localhost', 204],
    ['outro.svc.localhost', 404],
    ['a.notas.svc.localhost', 404],
    ['notas.svc.localhost.', 404],
    ['notas.svc.localhost:1', 404],
    ['evil.example', 404],
    ['', 404],
  ] as const)('"%s": %i', async ([name, status]) => {
    expect(await ask(name)).toBe(status);
  });

  test('and nobody else does', async () => {
    expect(await ask('svc.localhost', { 'x-forwarded-for': '203.0.113.7' })).toBe(421);
    expect(await ask('svc.localhost', { host: portal.host })).toBe(404);
  });
});

test('whether it answers, and can do its work, is told to anybody, by its name or on its machine by address', async () => {
  for (const path of ['/healthz', '/readyz'])
    for (const headers of [{}, { host: '127.0.0.1:9' }]) {
      const { status, text } = await portal.browser().request(path, { headers });
      expect([path, status, text]).toEqual([path, 200, 'ok\n']);
    }
  expect((await portal.browser().request('/healthz', { headers: { host: 'evil.example' } })).status).toBe(421);
});

describe('metrics', () => {
  test('are for admins and for a scraper on this machine', async () => {
    const local = await portal.browser().request('/metrics', { headers: { host: '127.0.0.1:9' } });
    expect(local.status).toBe(200);
    for (const series of [
      'svc_backends{state="running"} 1',
      'svc_proxy_requests_total{app="notas",status="2xx"}',
      'svc_http_request_duration_seconds_count',
      'svc_nodejs_eventloop_lag_seconds',
      'svc_event_sockets',
    ]) {
      expect(local.text).toContain(series);
    }
    for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'via', 'x-real-ip', 'true-client-ip', 'x-original-url']) {
      const behind = await portal.browser().request('/metrics', { headers: { host: '127.0.0.1:9', [name]: '203.0.113.7' } });
      expect([name, behind.status]).toEqual([name, 421]);
    }
    expect((await portal.control('GET', '/metrics')).status).toBe(200);
    expect((await ana.call('GET', '/metrics')).status).toBe(403);
    expect((await portal.browser().request('/metrics')).status).toBe(401);
    expect((await portal.browser().request('/metrics', { headers: { host: 'evil.example' } })).status).toBe(421);
  });
});
