/**
 * `svc.fila` in a server-scope app, in Python and in Node: its jobs run on the machine of the portal. A job belongs to the person who asked, or to the
 * app when nobody did. Real are the portal, its controller with the cluster `local`, the wrapper, the library and the proxy; the app's account is this one.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPortalWorld, type Browser, type PortalWorld } from '../../api/testing/portal-world.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { createLocalCluster } from '../../controller/clusters/local.ts';
import { quickPace } from '../../controller/clusters/testing/cluster-contract.ts';
import { memoryHost } from '../../controller/hosts/testing/memory-host.ts';
import { createController, type Controller } from '../../controller/loop/loop.ts';
import type { JobView } from '../../schema/wire/jobs.ts';
import { backendEnv, cleanUp, commandOf, runtimes, start, type Runtime } from '../../sdk/testing/runtimes.ts';
import { openSqliteStore } from '../../store/sqlite.ts';

const manifests = { mural: { escopo: 'servidor', kind: 'service', recursos: { fila: true } } } as const;
const documents = ['ana', 'bia'].map(
  (name) => `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: casa }`,
);
const desired = [
  'kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa, trusted: true } }',
  'kind: Portal\nmetadata: { name: portal }\nspec: { fila: {} }',
  'kind: Cluster\nmetadata: { name: local }\nspec: { scheduler: { local: { trusted: true } }, emVoo: 4 }',
  ...documents,
];

/** `/fazer` runs a job to its end; `/listar` names those that it may see. With `/sozinho` behind it the app asks for itself. */
const programs: Readonly<Record<Runtime, string>> = {
  node: `
const http = require('node:http');
const { escutar, fila, servidor } = require('svc');
const feitos = {
  fazer: async () => {
    const { id } = await fila.submeter({ comando: ['bash', '-c', 'echo olá; cp entrada/a saida/b'], entradas: { 'entrada/a': Buffer.from('sim') }, nome: 'cópia' });
    const linhas = [];
    for await (const noticia of fila.acompanhar(id)) linhas.push(...noticia.linhas);
    return { id, linhas, arquivos: await fila.baixar(id, process.env.PASTA + '/' + id) };
  },
  listar: async () => (await fila.listar()).map(({ id, usuario }) => [id, usuario]),
};
escutar(http.createServer(servidor.portao(async (req, res) => {
  const [, verbo, como] = req.url.split('/');
  try {
    const feito = await (como === 'sozinho' ? feitos[verbo]() : servidor.emNomeDe(req, feitos[verbo]));
    servidor.responderJson(res, 200, feito);
  } catch (erro) {
    servidor.responderJson(res, 500, { codigo: erro.codigo ?? String(erro) });
  }
})));
`,
  python: `
import os, sys
from svc import fila, servidor
def fazer():
    trabalho = fila.submeter(['bash', '-c', 'echo olá; cp entrada/a saida/b'], entradas={'entrada/a': b'sim'}, nome='cópia')
    linhas = [linha for noticia in fila.acompanhar(trabalho['id']) for linha in noticia['linhas']]
    pasta = os.environ['PASTA'] + '/' + trabalho['id']
    return {'id': trabalho['id'], 'linhas': linhas, 'arquivos': [str(a) for a in fila.baixar(trabalho['id'], pasta)]}
def listar():
    return [[trabalho['id'], trabalho['usuario']] for trabalho in fila.listar()]
feitos = {'fazer': fazer, 'listar': listar}
class Pedido(servidor.Pedido):
    def atender(self, metodo):
        _, verbo, como = (self.path + '/').split('/')[:3]
        if verbo not in feitos:
            return self.responder_json(200, {})
        try:
            if como == 'sozinho':
                feito = feitos[verbo]()
            else:
                with servidor.em_nome_de(self):
                    feito = feitos[verbo]()
            self.responder_json(200, feito)
        except Exception as erro:
            self.responder_json(500, {'codigo': getattr(erro, 'codigo', repr(erro))})
sys.exit(servidor.escutar(Pedido, sys.argv[1:]))
`,
};

let folder: string;
let world: PortalWorld;
let controller: Controller;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'svcq-'));
  await mkdir(path.join(folder, 'd'));
  await writeFile(path.join(folder, 'd/all.yaml'), desired.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  const store = await openSqliteStore(':memory:');
  world = await createPortalWorld({ apps: Object.keys(manifests), manifests, store, clock: systemClock });
  const ignore = (): void => undefined;
  controller = await createController({
    shellVersion: '1.0.0',
    dir: path.join(folder, 'd'),
    // The app is installed in the world of the test only: this controller would end its credential.
    store: { ...store, rooms: { ...store.rooms, portalTokenOwners: async () => [], keepPortalTokens: async () => [] } },
    bus: world.bus,
    clock: systemClock,
    log: { info: ignore, warn: ignore, error: ignore, debug: ignore },
    createHost: () => memoryHost([]),
    createCluster: ({ metadata: { name } }) =>
      createLocalCluster({ name, folder: path.join(folder, 'jobs'), hidden: [], account: null, clock: systemClock, pace: quickPace }),
    portalUrlOfJobs: async () => `http://127.0.0.1:${world.port}`,
  });
  await controller.prepare();
  await controller.start();
});
afterAll(async () => {
  await cleanUp();
  await controller?.stop();
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

describe.for(runtimes)('%s', (runtime) => {
  let ana: Browser;
  let bia: Browser;

  beforeAll(async () => {
    const token = randomBytes(32).toString('base64url');
    const tokenHash = createHash('sha256').update(token).digest('hex');
    await world.store.rooms.putPortalToken({ tokenHash, usuario: '@casa', app: 'mural', scopes: ['fila'], startHash: runtime, atMs: 0 });
    const home = path.join(folder, runtime);
    await mkdir(home);
    const entrypoint = path.join(home, runtime === 'node' ? 'mural.cjs' : 'mural.py');
    await writeFile(entrypoint, programs[runtime]);
    const socket = path.join(home, 'mural.sock');
    const env = {
      SVC_APP_ID: 'mural',
      SVC_APP_SOCKET: socket,
      SVC_PORTAL_URL: `http://127.0.0.1:${world.port}`,
      SVC_PORTAL_TOKEN: token,
      SVC_PORTAL_SCOPES: 'fila',
      PASTA: home,
    };
    await start(commandOf(runtime, entrypoint), backendEnv(home, env)).said('escutando em');
    for (const person of ['ana', 'bia']) {
      const place = path.join(world.dir, `${person}-mural.sock`);
      await rm(place, { force: true });
      await symlink(socket, place);
      world.world.backend(person, 'mural').become('running', 'Healthy', { ready: true });
    }
    [ana, bia] = (await Promise.all(
      ['ana', 'bia'].map(async (person) => {
        const browser = await world.signedIn(person);
        await browser.visit(`http://${world.appHost('mural')}/nada`);
        return browser;
      }),
    )) as [Browser, Browser];
  });

  async function ask<T>(browser: Browser, what: string): Promise<T> {
    const host = world.appHost('mural');
    const answer = await browser.request(`/${what}`, { headers: { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' } });
    expect([what, answer.status, answer.text]).toEqual([what, 200, expect.any(String)]);
    return answer.json() as T;
  }
  interface Done {
    readonly id: string;
    readonly linhas: readonly string[];
    readonly arquivos: readonly string[];
  }
  const job = async (id: string): Promise<Partial<JobView>> => {
    const row = await world.store.jobs.job(id);
    return { usuario: row?.usuario ?? '', app: row?.app ?? '', estado: row?.outcome?.estado ?? 'desconhecido' };
  };

  test('a job that it submits for ana is hers, runs, and bia sees none of it; one that nobody asked for is its own', async () => {
    const [hers, own] = await Promise.all([ask<Done>(ana, 'fazer'), ask<Done>(ana, 'fazer/sozinho')]);
    for (const { linhas, arquivos } of [hers, own]) {
      expect(linhas).toEqual(['olá']);
      expect(await Promise.all(arquivos.map((file) => readFile(file, 'utf8')))).toEqual(['sim']);
    }
    expect(await job(hers.id)).toEqual({ usuario: 'ana', app: 'mural', estado: 'terminado' });
    expect(await job(own.id)).toEqual({ usuario: '@casa', app: 'mural', estado: 'terminado' });
    const listed = async (browser: Browser, what: string): Promise<readonly string[]> =>
      (await ask<readonly (readonly [string, string])[]>(browser, what)).map(([id]) => id);
    expect(await listed(ana, 'listar')).toContain(hers.id);
    expect(await listed(ana, 'listar')).not.toContain(own.id);
    expect(await listed(bia, 'listar')).toEqual([]);
    expect(await listed(bia, 'listar/sozinho')).toContain(own.id);
    // In her window and in her bell; that of the app itself is in nobody's.
    expect((await ana.call('GET', `/api/fila/trabalhos/${hers.id}`)).status).toBe(200);
    expect((await ana.call('GET', `/api/fila/trabalhos/${own.id}`)).status).toBe(404);
    const bell = (await ana.call('GET', '/api/avisos')).json().avisos as { tipo: string; texto: string; trabalho: { id: string } }[];
    expect(bell.filter(({ trabalho }) => trabalho.id === hers.id)).toMatchObject([{ tipo: 'trabalho', texto: 'cópia' }]);
    expect((await bia.call('GET', '/api/avisos')).json().avisos).toEqual([]);
  });
});
