/**
 * `disponivel()` of every part of the system, by what the app declared and was granted and by the state of the portal, in Node, in Python and for a page:
 * one table, written from the specification (2.1 `recursos`, 5.3) and docs/app-authors.md, over the portal's real HTTP API. And publishing without a
 * declaration does nothing and raises nothing.
 */
import { createHash, randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPortalWorld, type PortalWorld } from '../../api/testing/portal-world.ts';
import type { PortalScope } from '../../store/rooms.ts';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
let world: PortalWorld;
beforeAll(async () => {
  world = await createPortalWorld({ manifests: { notas: { recursos: { fila: true, metricas: true } } } });
});
afterAll(() => world.close());

type Code = string | null;
/** `ended`: the app was stopped, and its credential with it. `away`: nothing listens there. */
type Portal = 'none' | 'on' | 'off' | 'no cluster' | 'away' | 'ended';
type Row = readonly [granted: readonly PortalScope[] | 'untold', portal: Portal, fila: Code, salas: Code, metricas: Code, apps: Code];

const all = ['fila', 'salas', 'metricas', 'capacidades'] as const;
const missing = 'SEM_ESCOPO';
const bench = 'SEM_CREDENCIAL';
const rows: readonly Row[] = [
  [[], 'none', bench, bench, bench, bench],
  [['salas'], 'on', missing, null, missing, missing],
  [['metricas'], 'on', missing, missing, null, missing],
  [['fila'], 'on', null, missing, missing, missing],
  [['capacidades'], 'on', missing, missing, missing, null],
  [all, 'on', null, null, null, null],
  [all, 'off', 'DESLIGADA', null, null, null],
  [all, 'no cluster', 'SEM_CLUSTER', null, null, null],
  [all, 'away', 'SEM_REDE', null, null, null],
  [['salas'], 'away', missing, null, missing, missing],
  // A portal that does not say its scopes: the queue is asked, the others try.
  ['untold', 'on', null, null, null, null],
  [['fila'], 'ended', 'UNAUTHENTICATED', missing, missing, missing],
];

const programs = {
  node: [
    'node_modules/.bin/node',
    '-e',
    `const { apps, fila, metricas, salas } = require('svc');
     (async () => {
       metricas.contar('x'); metricas.duracao('x', 1); metricas.relatarErro(new Error('x'));
       console.log(JSON.stringify([await fila.disponivel(), salas.disponivel(), metricas.disponivel(), apps.disponivel()]));
       await metricas.encerrar(0); process.exit(0);
     })();`,
  ],
  python: [
    'python3',
    '-c',
    `import json, os
from svc import apps, fila, metricas, salas
metricas.contar('x'); metricas.duracao('x', 1); metricas.relatar_erro(ValueError('x'))
print(json.dumps([fila.disponivel(), salas.disponivel(), metricas.disponivel(), apps.disponivel()]), flush=True)
os._exit(0)`,
  ],
} as const;

async function credentialFor(granted: Row[0], portal: Portal): Promise<Record<string, string>> {
  if (portal === 'none') return {};
  const token = randomBytes(32).toString('base64url');
  const scopes = granted === 'untold' ? all : granted;
  const tokenHash = createHash('sha256').update(token).digest('hex');
  if (portal !== 'ended')
    await world.store.rooms.putPortalToken({ tokenHash, usuario: 'ana', app: 'notas', scopes, startHash: token, atMs: 0 });
  return {
    SVC_PORTAL_URL: `http://127.0.0.1:${portal === 'away' ? 9 : world.port}`,
    SVC_PORTAL_TOKEN: token,
    ...(granted === 'untold' ? {} : { SVC_PORTAL_SCOPES: scopes.join(',') }),
  };
}

const offs = { off: { codigo: 'DESLIGADA', motivo: 'a' }, 'no cluster': { codigo: 'SEM_CLUSTER', motivo: 'b' } } as const;

describe.each(['node', 'python'] as const)('%s', (library) => {
  test.for(rows)('granted %j, portal %s: fila %s, salas %s, metricas %s, apps %s', async ([granted, portal, ...codes]) => {
    world.world.queueOff = portal === 'off' || portal === 'no cluster' ? offs[portal] : null;
    const [program, ...args] = programs[library];
    const { stdout } = await run(program, args, {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_PATH: path.join(root, 'sdk/node'),
        PYTHONPATH: path.join(root, 'sdk/python'),
        PYTHONDONTWRITEBYTECODE: '1',
        SVC_APP_DATA_DIR: world.dir,
        ...(await credentialFor(granted, portal)),
      },
    });
    const found = JSON.parse(stdout) as { disponivel: boolean; motivo: string | null; codigo: Code }[];
    expect(found.map(({ codigo }) => codigo)).toEqual(codes);
    for (const { disponivel, motivo, codigo } of found) {
      expect(disponivel).toBe(codigo === null);
      // A sentence exactly when there is a reason.
      expect(motivo === null).toBe(codigo === null);
    }
  });
});

/** A page has no credential: the manifest that is installed for the person counts. */
const pages: readonly (readonly [app: string, portal: 'on' | 'off' | 'not read', fila: Code, metricas: Code])[] = [
  ['notas', 'on', null, null],
  ['notas', 'off', 'DESLIGADA', null],
  ['notas', 'not read', 'NAO_LIDO', 'NAO_LIDO'],
  ['relogio', 'on', missing, missing],
  ['relogio', 'off', missing, missing],
  ['nada', 'on', 'SEM_APP', 'SEM_APP'],
];

test.for(pages)('page of %s, portal %s: fila %s, metricas %s', async ([app, portal, fila, metricas]) => {
  const ana = await world.signedIn('ana');
  world.world.queueOff = portal === 'off' ? offs.off : null;
  world.world.packagesRead = portal !== 'not read';
  try {
    for (const [resource, codigo] of [
      ['fila', fila],
      ['metricas', metricas],
    ] as const) {
      const answer = await ana.call('GET', `/api/${resource}?app=${app}`);
      const found = answer.json();
      expect([resource, answer.status, found.codigo, found.disponivel, found.motivo === null]).toEqual([
        resource,
        200,
        codigo,
        codigo === null,
        codigo === null,
      ]);
    }
  } finally {
    world.world.packagesRead = true;
  }
});
