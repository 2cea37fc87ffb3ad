/** The record of a real portal: every route is in a table, acts leave their lines, and a person sees what concerns them. */
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditLine, AuditQuery } from '../../schema/audit.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PersonFiles } from '../../schema/files.ts';
import { readBack } from '../../store/audit/read.ts';
import { verifyRecord } from '../../store/audit/verify.ts';
import { createPortalWorld, type Answer, type Browser, type PortalWorld } from '../testing/portal-world.ts';
import { outsideRows } from './admin-rows.ts';
import { shortAgent } from './agent.ts';
import { rows } from './http-audit.ts';

let portal: PortalWorld;
let ana: Browser;
let admin: Browser;
beforeAll(async () => {
  portal = await createPortalWorld({ audit: true, manifests: { notas: { recursos: { fila: true } } } });
  obey(portal);
  ana = await portal.signedIn('ana');
  admin = await portal.signedIn('bia', { admin: true });
});
afterAll(() => portal.close());

/** Acts like a controller: requests are fulfilled. */
function obey({ bus, store, world }: PortalWorld): void {
  bus.onEnqueue((key) => {
    const [kind, person = '', app = ''] = key.split('/');
    if (kind !== 'Backend') return;
    void (async () => {
      const intent = await store.intent(person, app);
      // The state changes before the order counts as taken.
      const first = intent?.wish === 'stop' ? ('stopping' as const) : ('starting' as const);
      world.backend(person, app).become(first, first === 'stopping' ? 'StoppedByPerson' : 'Probing');
      await store.finishIntent(person, app, intent?.requestId ?? '');
      const isStop = intent?.wish === 'stop';
      // The one who waits looks at each change once it waits.
      setImmediate(() => {
        world.backend(person, app).become(isStop ? 'stopped' : 'running', isStop ? 'StoppedByPerson' : 'Healthy', { ready: !isStop });
      });
    })();
  });
}

async function linesOf(query: AuditQuery = {}): Promise<readonly AuditLine[]> {
  await portal.audit!.flush();
  return (await readBack(portal.audit!.dir, undefined, { query, linesMax: 500 })).lines.toReversed();
}

/** The lines that were recorded during `act`. */
async function during(act: () => Promise<unknown>): Promise<readonly AuditLine[]> {
  const { seq } = await portal.audit!.flush();
  await act();
  return (await linesOf()).filter((line) => line.seq > seq);
}

test('every route of the OpenAPI document is in a table of the record, and no other; each without a line says why', async () => {
  const { paths }: { paths: Record<string, object> } = (await portal.browser().call('GET', '/api/openapi.json')).json();
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'head')
      .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1').replace('{*}', '*')}`),
  );
  expect(Object.keys(rows).toSorted()).toEqual(served.toSorted());
  const told = Object.values({ ...rows, ...outsideRows }).flatMap((row) =>
    'none' in row ? [row.none] : 'elsewhere' in row ? [row.elsewhere] : [],
  );
  expect(told.filter((why) => why.split(' ').length < 4)).toEqual([]);
});

describe('an act leaves its line', () => {
  const backend = '/api/admin/backends/ana/notas';
  test.for([
    ['POST', '/api/apps/notas/start', {}, { action: 'app/start', object: 'Backend/ana/notas', result: 'ok' }],
    ['PUT', '/api/apps/notas/segredos/API_KEY', { value: 'v' }, { action: 'secret/set', object: 'Secret/ana/notas/API_KEY', result: 'ok' }],
    ['PUT', '/api/apps/notas/segredos/OTHER', { value: 'v' }, { action: 'secret/set', result: 'refused', code: 'SECRET_UNDECLARED' }],
    [
      'POST',
      '/api/terminais',
      { colunas: 80, linhas: 24 },
      { action: 'terminal/open', object: expect.stringMatching(/^Terminal\/ana\/.+/) },
    ],
    [
      'POST',
      '/api/fila/trabalhos?app=notas',
      { chave: 'a1', comando: ['true'] },
      { action: 'job/submit', object: expect.stringMatching(/^Job\/.+/) },
    ],
    ['GET', '/api/admin/objects', undefined, { action: 'admin/use', result: 'refused', code: 'FORBIDDEN' }],
    ['POST', `${backend}/stop`, {}, { action: 'app/stop', object: 'Backend/ana/notas', result: 'refused', code: 'FORBIDDEN' }],
    ['DELETE', '/api/sessoes?outras=1', undefined, { action: 'session/revoke', details: { ended: 0 }, result: 'ok' }],
  ] as const)('%s %s of a person', async ([method, url, body, wanted]) => {
    const lines = await during(() => ana.call(method, url, body));
    expect(lines).toMatchObject([{ by: { kind: 'person', person: 'ana' }, from: { address: '127.0.0.1' }, ...wanted }]);
    expect(lines[0]?.request).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.for([
    ['POST', '/api/admin/links', { person: 'ana' }, { action: 'link/make', person: 'ana', details: { admin: false }, result: 'ok' }],
    ['POST', '/api/admin/links', { person: 'nobody' }, { action: 'link/make', result: 'refused', code: 'NOT_FOUND' }],
    ['POST', `${backend}/start`, {}, { action: 'app/start', object: 'Backend/ana/notas', person: 'ana' }],
    ['GET', `${backend}/log`, undefined, { action: 'log/read', object: 'Backend/ana/notas', person: 'ana' }],
    ['POST', '/api/admin/apply', { prune: true }, { action: 'desired/apply', details: { prune: true } }],
    [
      'POST',
      '/api/admin/desired',
      { act: 'remove', kind: 'Person', name: 'ana', digest: '0'.repeat(64) },
      { action: 'desired/write', person: 'ana', details: { act: 'remove', document: 'Person/ana' }, result: 'ok' },
    ],
    ['PUT', `${backend}/segredos/API_KEY`, { value: 'v' }, { action: 'secret/set', object: 'Secret/ana/notas/API_KEY', person: 'ana' }],
  ] as const)('%s %s with %j over the control socket', async ([method, url, body, wanted]) => {
    const lines = await during(() => portal.control(method, url, body));
    expect(lines).toMatchObject([{ by: { kind: 'control' }, ...wanted }]);
    expect(lines[0]?.from).toBeUndefined();
  });

  test('of an administrator with a session says that it was one, and whom it concerned', async () => {
    const lines = await during(() => admin.call('POST', '/api/admin/backends/ana/relogio/stop', {}));
    expect(lines).toMatchObject([{ by: { kind: 'person', person: 'bia', admin: true }, action: 'app/stop', person: 'ana' }]);
  });

  test('also where nobody waits for the answer any more', async () => {
    const cookie = ana.cookies.get(portal.host) ?? '';
    const lines = await during(async () => {
      const headers = {
        host: portal.host,
        cookie,
        origin: portal.url,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      };
      const request = http.request({ host: '127.0.0.1', port: portal.port, method: 'POST', path: '/api/apps/relogio/start', headers });
      request.on('error', () => undefined);
      request.end('{}');
      const asked = Promise.withResolvers<void>();
      const forget = portal.bus.onEnqueue(() => asked.resolve());
      await asked.promise;
      forget();
      request.destroy();
      await expect.poll(async () => (await linesOf({ action: 'app/start', object: 'Backend/ana/relogio' })).length).toBe(1);
    });
    expect(lines).toMatchObject([{ action: 'app/start', object: 'Backend/ana/relogio', by: { person: 'ana' } }]);
  });

  test('what only reads leaves none', async () => {
    const asked = ['/api/sessao', '/api/apps', '/api/sessoes', '/api/preferencias', '/api/atividade', '/api/nothing', '/metrics'];
    expect(await during(async () => await Promise.all(asked.slice(0, -1).map((url) => ana.call('GET', url))))).toEqual([]);
  });
});

describe('a sign-in', () => {
  test.for([
    ['a link that is unknown', { passe: 'x'.repeat(43) }, { code: 'PASS_REFUSED', details: { method: 'link' } }],
    ['a password of a person', { login: 'ana', senha: 'wrong' }, { person: 'ana', code: 'SIGN_IN_METHOD', details: { method: 'ssh' } }],
    ['a login that nobody has', { login: 'my-password-1', senha: 'x' }, { code: 'SIGN_IN_METHOD', details: { method: 'ssh' } }],
  ] as const)('that fails is recorded: %s', async ([, body, wanted]) => {
    const lines = await during(() => portal.browser().call('POST', '/api/sessao', body));
    const common = { by: { kind: 'nobody' }, action: 'session/open', from: { address: '127.0.0.1' } };
    expect(lines).toMatchObject([{ ...common, ...wanted, result: 'refused' }]);
    expect(JSON.stringify(lines)).not.toContain('my-password');
  });

  test('that works is recorded, by the page of the link, by the API and signing out', async () => {
    const lines = await during(async () => {
      await portal.signedIn('bia');
      const browser = portal.browser();
      const passe = new URL(await portal.portal.signInLink('ana', { admin: true })).searchParams.get('passe');
      await browser.call('POST', '/api/sessao', { passe });
      expect((await browser.call('DELETE', '/api/sessao')).text).toBe('');
    });
    const object = expect.stringMatching(/^Session\/[\w-]{22}$/);
    expect(lines).toMatchObject([
      { action: 'session/open', by: { person: 'bia' }, object, result: 'ok' },
      { action: 'session/open', by: { person: 'ana', admin: true }, object, result: 'ok' },
      { action: 'session/close', by: { person: 'ana', admin: true } },
    ]);
    expect(new Set(lines.slice(1).map(({ request }) => request)).size).toBe(2);
  });
});

describe('files', () => {
  const files = { places: async () => ({ conta: 'ana', casa: '/home/ana', pastas: [], espaco: null }) } as unknown as PersonFiles;
  test.for([
    ['in the own home leave none', '/home/ana/a.txt', []],
    ['of a group leave one', '/srv/grupo/a.txt', [{ action: 'file/change', object: 'File//srv/grupo/a.txt', result: 'ok' }]],
    ['of a home whose name begins alike leave one', '/home/ana2/a.txt', [{ action: 'file/change', object: 'File//home/ana2/a.txt' }]],
    ['that are refused leave one without the path', '/home/bia/no', [{ action: 'file/change', result: 'refused', code: 'FILE_REFUSED' }]],
  ] as const)('%s', async ([, caminho, wanted]) => {
    portal.world.filesOf = async () => ({
      ...files,
      makeFolder: async () => {
        if (caminho.endsWith('/no')) throw new SvcError('FILE_REFUSED', 'no');
        return { nome: 'a', caminho, tipo: 'pasta', bytes: 0, modificadoMs: 0, modo: 0, oculto: false, atalho: false };
      },
    });
    const lines = await during(async () => {
      await ana.call('POST', '/api/arquivos/pasta', { caminho });
      await ana.call('GET', '/api/arquivos');
    });
    expect(lines).toMatchObject([...wanted]);
    expect(lines.filter(({ object, result }) => object !== undefined && result === 'refused')).toEqual([]);
  });
});

describe('GET /api/atividade', () => {
  const shown = (answer: Answer): readonly unknown[] =>
    answer.json().atividade.map((row: Record<string, unknown>) => [row['acao'], row['quem'], row['objeto'], row['resultado']]);

  test('shows a person their sign-ins and what others did to what is theirs, and nothing of others', async () => {
    const world = await createPortalWorld({ audit: true });
    obey(world);
    try {
      const own = await world.signedIn('ana');
      await own.call('POST', '/api/apps/notas/stop', {});
      await world.control('POST', '/api/admin/backends/ana/notas/stop', {});
      await world.control('POST', '/api/admin/backends/bia/notas/stop', {});
      await world.browser().call('POST', '/api/sessao', { login: 'ana', senha: 'wrong' });
      world.audit!.record({ by: { kind: 'controller' }, action: 'app/stop', person: 'ana', object: 'Backend/ana/notas', result: 'ok' });
      await world.audit!.flush();
      const answer = await own.call('GET', '/api/atividade');
      expect(shown(answer)).toEqual([
        ['session/open', 'ninguem', null, 'refused'],
        ['app/stop', 'admin', 'notas', 'ok'],
        ['session/open', 'eu', null, 'ok'],
      ]);
      expect(answer.json()).toMatchObject({
        antes: null,
        parcial: false,
        atividade: [{ de: { endereco: '127.0.0.1' } }, { de: null }, {}],
      });
      const first = await own.call('GET', '/api/atividade?limite=2');
      const rest = await own.call('GET', `/api/atividade?limite=2&antes=${first.json().antes}`);
      expect([shown(first).length, shown(rest)]).toEqual([2, [['session/open', 'eu', null, 'ok']]]);
      expect((await own.call('GET', '/api/atividade?antes=..%2f..%2fx')).status).toBe(400);
    } finally {
      await world.close();
    }
  });
});

test('GET /api/admin/audit pages through all lines, follows them, and is for administrators', async () => {
  const answer = (await portal.control('GET', '/api/admin/audit?action=session&limit=2')).json();
  expect(answer.lines.map(({ action }: AuditLine) => action.split('/')[0])).toEqual(['session', 'session']);
  expect(answer.next).toMatch(/^\d{4}-\d\d-\d\d:\d+$/);
  const { next } = (await portal.control('GET', '/api/admin/audit?after=end')).json();
  await portal.control('POST', '/api/admin/links', { person: 'bia' });
  const on = (await portal.control('GET', `/api/admin/audit?after=${next}`)).json();
  expect(on.lines).toMatchObject([{ action: 'link/make', person: 'bia' }]);
  expect((await ana.call('GET', '/api/admin/audit')).status).toBe(403);
  expect(await verifyRecord(portal.audit!.dir, on.head)).toMatchObject({ found: 0 });
});

test('a process that may not use the control socket is recorded', async () => {
  const world = await createPortalWorld({ audit: true, judgePeer: async () => ({ why: 'an app of yours', uid: 1_234 }) });
  try {
    expect((await world.control('GET', '/api/admin/objects')).status).toBe(403);
    await world.audit!.flush();
    const { lines } = await readBack(world.audit!.dir, undefined, { query: {}, linesMax: 9 });
    expect(lines).toMatchObject([{ by: { kind: 'control', uid: 1_234 }, action: 'control/use', result: 'refused' }]);
  } finally {
    await world.close();
  }
});

test.for([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox 144, Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    'Edge 142, Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) AppleWebKit/605 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari 18, iOS',
  ],
  ['curl/8.5.0', 'curl 8'],
  ['Bearer hunter2-secret', undefined],
] as const)('of the User-Agent %s this is kept: %s', ([agent, kept]) => {
  expect(shortAgent(agent)).toBe(kept);
});
