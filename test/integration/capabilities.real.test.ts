/** Two apps with a real `svc up`: a backend asks an engine that nobody started, after the person said yes; it is killed, and it is removed. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser, type Answer, type Browser } from '../../api/testing/portal-world.ts';
import { consentFaultPoints } from '../../controller/faults.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { everyNth } from '../support/share.ts';
import { order, view, whenInstalled, whenState, writeDesired } from './world.ts';
import { copyExamples } from '../support/example-desired.ts';

let folder: string;
let desired: string;
let portal: RunningPortal;
let host: string;
let ana: Browser;

const manifest = {
  id: 'leitor',
  version: '1.0.0',
  usa: ['eco/v1'],
  backend: { runtime: 'node', entrypoint: 'backend/main.cjs', healthcheckPath: '/pronto' },
};
/** `/perguntar` asks the capability by what the environment says, and answers what came of it. */
const backend = `
const http = require('node:http');
const { escutar, servidor } = require('svc');
const { SVC_PORTAL_URL, SVC_PORTAL_TOKEN, SVC_PORTAL_SCOPES } = process.env;
escutar(http.createServer(servidor.portao(async (req, res) => {
  if (!req.url.startsWith('/perguntar')) return servidor.responderJson(res, 200, { escopos: SVC_PORTAL_SCOPES });
  const headers = { authorization: 'Bearer ' + SVC_PORTAL_TOKEN };
  const answer = await fetch(SVC_PORTAL_URL + '/api/capacidades/eco/v1/eco', { method: 'POST', headers, body: 'olá' });
  servidor.responderJson(res, 200, { status: answer.status, de: answer.headers.get('x-svc-fornecedor'), corpo: await answer.json() });
})));
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcc-'));
  const packages = join(folder, 'packages');
  await copyExamples(['motor-eco'], packages);
  await mkdir(join(packages, 'leitor/backend'), { recursive: true });
  await writeFile(join(packages, 'leitor/svc-app.json'), JSON.stringify(manifest));
  await writeFile(join(packages, 'leitor/backend/main.cjs'), backend);
  desired = await writeDesired(join(folder, 'd'), { apps: ['leitor', 'motor-eco'], packages });
  portal = await startPortal({ desired });
  host = `svc.localhost:${portal.port}`;
  const { link } = (await portal.admin('POST', '/api/admin/links', { person: 'ana' })).body as { link: string };
  ana = createBrowser({ host, port: portal.port, url: `http://${host}`, received: [] });
  await ana.visit(link);
  await whenInstalled(portal, 'leitor', 'motor-eco');
});
afterAll(async () => {
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** By the backend of `leitor`. */
async function asked(): Promise<{ readonly status: number; readonly de: string | null; readonly corpo: Record<string, unknown> }> {
  const app = `leitor.${host}`;
  return (await ana.request('/perguntar', { headers: { host: app, origin: `http://${app}`, 'sec-fetch-site': 'same-origin' } })).json();
}
/** By the shell for the window of `leitor`. */
const paged = (): Promise<Answer> =>
  ana.request('/api/capacidades/eco/v1/eco', { method: 'POST', headers: { origin: `http://${host}`, 'x-svc-app': 'leitor' }, body: 'olá' });
const consents = async (): Promise<readonly Record<string, unknown>[]> =>
  (await ana.call('GET', '/api/consentimentos')).json().consentimentos;
const echoed = { de: 'leitor', texto: 'olá' };

test('a backend of an app that declares it has the scope, and its first question waits for the person', async () => {
  await order(portal, 'start', 'leitor');
  await whenState(portal, 'leitor', 'running');
  expect(JSON.parse((await ana.visit(`http://leitor.${host}/`)).text)).toEqual({ escopos: 'capacidades' });
  expect(await asked()).toMatchObject({ status: 403, de: null, corpo: { code: 'CONSENT_NEEDED' } });
  expect(await consents()).toMatchObject([
    { de: 'leitor', para: 'motor-eco', capacidade: 'eco/v1', rotulo: 'Devolver o texto', resposta: 'pendente' },
  ]);
  expect((await view(portal, 'Backend/ana/motor-eco'))?.state).toBe('stopped');
});

test('after a yes the engine is started for it, and answers to backend and page', async () => {
  const body = { de: 'leitor', para: 'motor-eco', capacidade: 'eco/v1', resposta: 'sim', duracao: 'sempre' };
  expect((await ana.call('PUT', '/api/consentimentos', body)).status).toBe(200);
  expect(await asked()).toEqual({ status: 200, de: 'motor-eco', corpo: echoed });
  expect((await view(portal, 'Backend/ana/motor-eco'))?.state).toBe('running');
  const answer = await paged();
  expect([answer.status, answer.headers['x-svc-fornecedor'], answer.json()]).toEqual([200, 'motor-eco', echoed]);
});

test(
  'a portal killed between a yes and its row: the person is asked again, or the yes holds; never half of it',
  { timeout: 120_000 },
  async () => {
    const yes = { de: 'leitor', para: 'motor-eco', capacidade: 'eco/v1', resposta: 'sim', duracao: 'sempre' };
    const held: Readonly<Record<(typeof consentFaultPoints)[number], readonly unknown[]>> = {
      'consent/before-write': [403, 'CONSENT_NEEDED', 0],
      'consent/written': [200, undefined, 1],
    };
    for (const point of everyNth(2, consentFaultPoints)) {
      for (const { id } of await consents()) await ana.call('DELETE', `/api/consentimentos/${String(id)}`);
      await portal.kill();
      await portal.again({ SVC_FAULT_POINT: point });
      // The answer never came: the person knows of neither.
      await expect(ana.call('PUT', '/api/consentimentos', yes)).rejects.toThrow(/socket hang up|ECONNRESET/);
      await portal.again();
      await whenState(portal, 'leitor', 'running');
      const answer = await paged();
      expect([answer.status, answer.json()['code'], (await consents()).length]).toEqual(held[point]);
    }
  },
);

test('a provider that is removed takes what was said to it along', async () => {
  const file = join(desired, 'casa.yaml');
  const documents = (await readFile(file, 'utf8')).split('---\n').filter((text) => !text.includes('app: motor-eco'));
  await writeFile(file, documents.join('---\n'));
  await portal.admin('POST', '/api/admin/apply', { prune: true });
  await until('no consent left', async () => (await consents()).length === 0, 60_000);
  await until('the provider is gone', async () => (await asked()).status === 404);
  expect(await asked()).toMatchObject({ status: 404, de: null, corpo: { code: 'CAPABILITY_UNKNOWN', capacidade: 'eco/v1' } });
  expect((await paged()).json()).toMatchObject({ code: 'CAPABILITY_UNKNOWN' });
});
