/**
 * A server-scope app with a real backend, in Node and in Python, before a real portal: it serves ana and bia with one process and one credential,
 * and does for each of them what is theirs. Source: decision 0203. Account, unit and file of the credential: test/server/server.machine.test.ts.
 */
import { createHash, randomBytes } from 'node:crypto';
import type http from 'node:http';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ManualClock } from '../../api/testing/manual-clock.ts';
import { createPortalWorld, type Answer, type Browser, type PortalWorld } from '../../api/testing/portal-world.ts';
import { backendEnv, cleanUp, commandOf, runtimes, start, type Runtime } from '../../sdk/testing/runtimes.ts';

const capability = 'dicionario/v1';
const manifests = {
  mural: { escopo: 'servidor', kind: 'service', recursos: { salas: true }, usa: [capability] },
  dicionario: { provides: [capability], capacidades: { [capability]: { rota: '/api/dic' } } },
} as const;

/** `/…/guardar` keeps its request, `/…/guardado` works with the one that was kept, whoever sends it. */
const programs: Readonly<Record<Runtime, string>> = {
  node: `
const http = require('node:http');
const { apps, escutar, salas, servidor } = require('svc');
let guardado = null;
const feitos = {
  criar: () => salas.criar('Atas'),
  listar: () => salas.listar(),
  pedir: async () => (await apps.pedir('${capability}', '/verbete')).text(),
  ofertas: () => apps.listar('${capability}'),
};
escutar(http.createServer(servidor.portao(async (req, res) => {
  const [, verbo, como] = req.url.split('/');
  if (como === 'guardar') guardado = req;
  const fazer = feitos[verbo] ?? (() => null);
  try {
    const pedido = como === 'guardado' ? guardado : req;
    const feito = await (como === 'sozinho' ? fazer() : servidor.emNomeDe(pedido, fazer));
    servidor.responderJson(res, 200, { feito });
  } catch (erro) {
    servidor.responderJson(res, 200, { codigo: erro.codigo ?? String(erro) });
  }
})));
`,
  python: `
import sys
from types import SimpleNamespace
from svc import apps, salas, servidor
guardado = None
def pedir():
    with apps.pedir('${capability}', '/verbete') as resposta:
        return resposta.read().decode()
feitos = {'criar': lambda: salas.criar('Atas'), 'listar': salas.listar, 'pedir': pedir, 'ofertas': lambda: apps.listar('${capability}')}
class Pedido(servidor.Pedido):
    def atender(self, metodo):
        global guardado
        _, verbo, como = (self.path + '/').split('/')[:3]
        if como == 'guardar':
            guardado = SimpleNamespace(headers=self.headers)
        fazer = feitos.get(verbo, lambda: None)
        try:
            if como == 'sozinho':
                feito = fazer()
            else:
                with servidor.em_nome_de(guardado if como == 'guardado' else self):
                    feito = fazer()
            self.responder_json(200, {'feito': feito})
        except Exception as erro:
            self.responder_json(200, {'codigo': getattr(erro, 'codigo', repr(erro))})
sys.exit(servidor.escutar(Pedido, sys.argv[1:]))
`,
};

describe.for(runtimes)('%s', (runtime) => {
  let world: PortalWorld;
  let ana: Browser;
  let bia: Browser;
  let token: string;

  beforeAll(async () => {
    world = await createPortalWorld({ apps: Object.keys(manifests), manifests });
    token = randomBytes(32).toString('base64url');
    const tokenHash = createHash('sha256').update(token).digest('hex');
    const scopes = ['salas', 'capacidades'] as const;
    await world.store.rooms.putPortalToken({ tokenHash, usuario: '@casa', app: 'mural', scopes, startHash: 's', atMs: 0 });
    const socket = path.join(world.dir, 'ana-mural.sock');
    const entrypoint = path.join(world.dir, runtime === 'node' ? 'mural.cjs' : 'mural.py');
    await writeFile(entrypoint, programs[runtime]);
    const portal = { SVC_PORTAL_URL: `http://127.0.0.1:${world.port}`, SVC_PORTAL_TOKEN: token, SVC_PORTAL_SCOPES: scopes.join(',') };
    const backend = start(
      commandOf(runtime, entrypoint),
      backendEnv(world.dir, { SVC_APP_ID: 'mural', SVC_APP_SOCKET: socket, ...portal }),
    );
    await backend.said('escutando em');
    await symlink(socket, path.join(world.dir, 'bia-mural.sock'));
    for (const person of ['ana', 'bia']) {
      world.world.backend(person, 'mural').become('running', 'Healthy', { ready: true });
      await world.world.backend(person, 'dicionario').start();
    }
    [ana, bia] = await Promise.all([enter('ana'), enter('bia')]);
  });
  afterAll(async () => {
    await cleanUp();
    await world?.close();
  });

  async function enter(person: string): Promise<Browser> {
    const browser = await world.signedIn(person);
    await browser.visit(`http://${world.appHost('mural')}/nada`);
    return browser;
  }
  async function asked(browser: Browser, what: string): Promise<{ readonly feito?: unknown; readonly codigo?: string }> {
    const host = world.appHost('mural');
    const answer = await browser.request(`/${what}`, { headers: { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' } });
    return answer.json();
  }
  /** As the backend would by hand. */
  const raw = (url: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
    world.browser().request(url, { headers: { host: `127.0.0.1:${world.port}`, authorization: `Bearer ${token}`, ...headers } });

  test('a room that it makes is of the person who asked, and the other sees none of it', async () => {
    const { feito } = (await asked(ana, 'criar')) as { feito: { id: string; papel: string } };
    expect(feito).toMatchObject({ nome: 'Atas' });
    const own = (await ana.call('GET', '/api/salas?app=mural')).json().salas as { id: string; papel: string }[];
    expect(own.map(({ id, papel }) => [id, papel])).toEqual([[feito.id, 'dona']]);
    expect((await bia.call('GET', '/api/salas?app=mural')).json().salas).toEqual([]);
    const rooms = async (browser: Browser) => JSON.stringify((await asked(browser, 'listar')).feito);
    expect([(await rooms(ana)).includes(feito.id), (await rooms(bia)).includes(feito.id)]).toEqual([true, false]);
  });

  test('for nobody it reaches neither rooms, nor people, nor capabilities', async () => {
    for (const what of ['criar', 'listar', 'pedir', 'ofertas'])
      expect(await asked(ana, `${what}/sozinho`)).toEqual({ codigo: 'PERSON_NEEDED' });
    for (const url of ['/api/pessoas/eu', '/api/pessoas?busca=b', '/api/salas', `/api/capacidades/${capability}`]) {
      const answer = await raw(url, {});
      expect([url, answer.status, answer.json().code]).toEqual([url, 403, 'PERSON_NEEDED']);
    }
  });

  test('a capability is the one of the person who asked, by their consent and of their provider', async () => {
    expect(await asked(ana, 'pedir')).toEqual({ codigo: 'CONSENT_NEEDED' });
    const consents = async (browser: Browser) => (await browser.call('GET', '/api/consentimentos')).json().consentimentos as object[];
    expect([await consents(ana), await consents(bia)]).toMatchObject([[{ de: 'mural', para: 'dicionario', resposta: 'pendente' }], []]);
    const yes = { de: 'mural', para: 'dicionario', capacidade: capability, resposta: 'sim', duracao: 'sempre' };
    expect((await ana.call('PUT', '/api/consentimentos', yes)).status).toBe(200);
    expect(await asked(ana, 'pedir')).toEqual({ feito: expect.stringContaining('ana/dicionario GET /api/dic/verbete') as string });
    expect(await asked(bia, 'pedir')).toEqual({ codigo: 'CONSENT_NEEDED' });
    expect((await asked(bia, 'ofertas')).feito).toMatchObject([{ app: 'dicionario' }]);
    // The provider gets the app, and neither the mandate nor the credential.
    const [call] = world.world.backend('ana', 'dicionario').seen;
    expect(call?.headers).toMatchObject({ 'x-svc-chamador': 'mural' });
    expect(JSON.stringify(call?.rawHeaders)).not.toMatch(/em-nome|bearer/i);
  });

  test('a page can not say for whom, whatever it sends', async () => {
    const host = world.appHost('mural');
    for (const name of ['x-svc-em-nome', 'X_Svc_Em_Nome', 'x-svc-em.nome']) {
      const answer = await bia.request('/listar', {
        headers: { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin', [name]: 'x' },
      });
      expect(answer.json()).toHaveProperty('feito');
    }
  });

  test('a mandate that was kept is good for ten minutes, and ends with the session of who gave it', async () => {
    await asked(ana, 'nada/guardar');
    expect(await asked(bia, 'listar/guardado')).toHaveProperty('feito');
    (world.clock as ManualClock).advance(11 * 60_000);
    expect(await asked(bia, 'listar/guardado')).toEqual({ codigo: 'UNAUTHENTICATED' });
    await asked(ana, 'nada/guardar');
    expect(await asked(bia, 'listar/guardado')).toHaveProperty('feito');
    expect((await ana.call('DELETE', '/api/sessao')).status).toBe(204);
    expect(await asked(bia, 'listar/guardado')).toEqual({ codigo: 'UNAUTHENTICATED' });
    ana = await enter('ana');
    expect(await asked(ana, 'listar')).toHaveProperty('feito');
  });

  test('a call that is under way for a person ends when they sign out, and no call of anybody else', async () => {
    const provider = world.world.backend('ana', 'dicionario');
    const others = world.world.backend('bia', 'dicionario');
    const yes = { de: 'mural', para: 'dicionario', capacidade: capability, resposta: 'sim', duracao: 'sempre' };
    await bia.call('PUT', '/api/consentimentos', yes);
    const ended: string[] = [];
    const held: http.ServerResponse[] = [];
    for (const backend of [provider, others]) {
      backend.respond = (_req, res) => {
        res.on('close', () => void (res.writableEnded || ended.push(backend.person)));
        held.push(res);
      };
    }
    // The page that asked goes with the session, too.
    const ofAna = asked(ana, 'pedir').catch(() => 'cut');
    const ofBia = asked(bia, 'pedir');
    await expect.poll(() => held.length).toBe(2);
    await ana.call('DELETE', '/api/sessao');
    await expect.poll(() => ended).toEqual(['ana']);
    for (const res of held) res.end('feito');
    expect([await ofAna, await ofBia]).toEqual(['cut', { feito: 'feito' }]);
    ana = await enter('ana');
  });

  test('when the app stops its credential ends, for whom ever it would speak', async () => {
    await world.store.rooms.keepPortalTokens('@casa', 'mural', null);
    expect(await asked(ana, 'listar')).toEqual({ codigo: 'UNAUTHENTICATED' });
    expect((await raw('/api/pessoas/eu', {})).status).toBe(401);
  });
});
