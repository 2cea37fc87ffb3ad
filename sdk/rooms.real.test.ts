/** `salas` of both runtimes against a server that answers as the portal does: what they ask, what they make of the answers, and joining from Node. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as awarenessProtocol from 'y-protocols/awareness';
import * as Y from 'yjs';
import type * as runtime from './node/svc/index.d.ts';
import { startRoomServer, type RoomServer } from './testing/room-server.ts';

const { salas, ErroSvc } = createRequire(import.meta.url)('./node/svc') as typeof runtime;
const sala = 's0123456789abcdefghijk';
const sha = 'ab'.repeat(32);

interface Asked {
  readonly line: string;
  readonly token: string | undefined;
  readonly type: string | undefined;
  readonly body: string;
}
interface Reply {
  readonly status: number;
  readonly body: string;
  readonly 'content-type'?: string;
  readonly location?: string;
}

let rooms: RoomServer;
let asked: Asked[];
let reply: ((asked: Asked) => Reply) | null;
let tickets: number;

const read = async (req: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
};

beforeEach(async () => {
  asked = [];
  tickets = 0;
  reply = null;
  rooms = await startRoomServer(async (req, res) => {
    const { authorization: token, 'content-type': type } = req.headers;
    const one = { line: `${req.method} ${req.url}`, token, type, body: await read(req) };
    asked.push(one);
    const ticket = { usuario: 'ana', bilhete: `b${(tickets += 1)}`, caminho: `/ws/salas/${sala}`, papel: 'editar', anexos: true };
    const { status, body, ...more } = reply === null ? { status: 200, body: JSON.stringify(ticket) } : reply(one);
    res.writeHead(status, { 'content-type': 'application/json', ...more }).end(body);
  });
  vi.stubEnv('SVC_PORTAL_URL', `http://127.0.0.1:${rooms.port}`);
  vi.stubEnv('SVC_PORTAL_TOKEN', 'segredo');
  vi.stubEnv('SVC_APP_ID', 'notas');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rooms.close();
});

/** Runs Python with the runtime and this environment; what `saida` holds comes back. */
async function python(lines: string): Promise<unknown> {
  const source = `import json\nfrom svc import salas\nfrom svc.erros import ErroSvc\n${lines}\nprint(json.dumps(saida))`;
  const env = { ...process.env, PYTHONPATH: join(import.meta.dirname, 'python'), PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await promisify(execFile)('python3', ['-c', source], { env });
  return JSON.parse(stdout);
}

const problem = { code: 'ROOM_NOT_FOUND', error: 'não há esta sala', retryAfterMs: 5 };

describe('both runtimes', () => {
  const verbs = [
    ['listar', () => salas.listar(), 'salas.listar()', 'GET /api/salas', ''],
    ['ler', () => salas.ler(sala), `salas.ler('${sala}')`, `GET /api/salas/${sala}`, ''],
    ['criar', () => salas.criar('Ata'), `salas.criar('Ata')`, 'POST /api/salas', '{"nome":"Ata"}'],
    ['renomear', () => salas.renomear(sala, 'B'), `salas.renomear('${sala}', 'B')`, `PATCH /api/salas/${sala}`, '{"nome":"B"}'],
    ['apagar', () => salas.apagar(sala), `salas.apagar('${sala}')`, `DELETE /api/salas/${sala}`, ''],
    [
      'darAcesso',
      () => salas.darAcesso(sala, 'bia', 'ver'),
      `salas.dar_acesso('${sala}', 'bia', 'ver')`,
      `PUT /api/salas/${sala}/pessoas/bia`,
      '{"papel":"ver"}',
    ],
    [
      'darAcessoAoGrupo',
      () => salas.darAcessoAoGrupo(sala, 'g1', 'editar'),
      `salas.dar_acesso_ao_grupo('${sala}', 'g1', 'editar')`,
      `PUT /api/salas/${sala}/grupos/g1`,
      '{"papel":"editar"}',
    ],
    [
      'tirarAcesso',
      () => salas.tirarAcesso(sala, 'a/b'),
      `salas.tirar_acesso('${sala}', 'a/b')`,
      `DELETE /api/salas/${sala}/pessoas/a%2Fb`,
      '',
    ],
    [
      'tirarAcessoDoGrupo',
      () => salas.tirarAcessoDoGrupo(sala, 'g1'),
      `salas.tirar_acesso_do_grupo('${sala}', 'g1')`,
      `DELETE /api/salas/${sala}/grupos/g1`,
      '',
    ],
    [
      'avisar',
      () => salas.avisar(sala, 'mencao', ['bia'], 'c1'),
      `salas.avisar('${sala}', 'mencao', ['bia'], 'c1')`,
      `POST /api/salas/${sala}/avisos`,
      '{"tipo":"mencao","para":["bia"],"ancora":"c1"}',
    ],
    [
      'anexar',
      () => salas.anexar(sala, Buffer.from([1, 2, 255]), 'image/png'),
      `salas.anexar('${sala}', bytes([1, 2, 255]), 'image/png')`,
      `PUT /api/salas/${sala}/anexos`,
      '\u0001\u0002\u00ff',
    ],
    ['historico', () => salas.historico(sala), `salas.historico('${sala}')`, `GET /api/salas/${sala}/historico`, ''],
    [
      'trazerDeVolta',
      () => salas.trazerDeVolta(sala, 7),
      `salas.trazer_de_volta('${sala}', 7)`,
      `POST /api/salas/${sala}/historico/7/volta`,
      '{}',
    ],
    [
      'nomearVersao',
      () => salas.nomearVersao(sala, 7, null),
      `salas.nomear_versao('${sala}', 7, None)`,
      `PUT /api/salas/${sala}/historico/7`,
      '{"nome":null}',
    ],
    ['bilhete', () => salas.bilhete(sala), `salas.bilhete('${sala}')`, `POST /api/salas/${sala}/bilhete`, '{"app":"notas"}'],
  ] as const;

  test('ask the same of the portal, with the credential', async () => {
    reply = ({ line }) => ({
      status: 200,
      body: JSON.stringify(
        line.endsWith('bilhete') ? { bilhete: null, caminho: '/x', papel: null, anexos: true } : { salas: [], versoes: [] },
      ),
    });
    for (const [, call, , line, body] of verbs) {
      await call();
      const [one] = asked.splice(0);
      expect({ ...one, body: one?.body.replaceAll(' ', '') }).toMatchObject({ line, token: 'Bearer segredo', body });
    }
    await python(`${verbs.map(([, , call]) => call).join('\n')}\nsaida = None`);
    expect(asked.map(({ line, token, body }) => ({ line, token, body: body.replaceAll(' ', '') }))).toEqual(
      verbs.map(([, , , line, body]) => ({ line, token: 'Bearer segredo', body })),
    );
    expect(asked.find(({ line }) => line.includes('anexos'))?.type).toBe('image/png');
  });

  test.for([
    ['an attachment', () => salas.anexo(sala, sha), `salas.anexo('${sala}', '${sha}')`, `anexos/${sha}`],
    ['a version', () => salas.versao(sala, 7, 'html'), `salas.versao('${sala}', 7, 'html')`, 'historico/7?formato=html'],
  ] as const)('bring %s with its type', async ([, call, same, path]) => {
    reply = () => ({ status: 200, 'content-type': 'image/png', body: 'PNG' });
    const { bytes, tipo } = await call();
    expect([bytes.toString(), tipo]).toEqual(['PNG', 'image/png']);
    expect(await python(`bytes_, tipo = ${same}\nsaida = [bytes_.decode(), tipo]`)).toEqual(['PNG', 'image/png']);
    expect(asked.map(({ line }) => line)).toEqual(Array.from({ length: 2 }, () => `GET /api/salas/${sala}/${path}`));
  });

  test('give a ticket with the whole addresses of both channels', async () => {
    const { bilhete, urls, papel } = await salas.bilhete(sala);
    const base = `ws://127.0.0.1:${rooms.port}/ws/salas/${sala}`;
    expect([bilhete, papel, urls]).toEqual([
      'b1',
      'editar',
      { documento: `${base}/documento?bilhete=b1`, comentarios: `${base}/comentarios?bilhete=b1` },
    ]);
    expect(await python(`saida = list(salas.bilhete('${sala}'))`)).toEqual([
      'b2',
      `/ws/salas/${sala}`,
      `${base}/documento?bilhete=b2`,
      `${base}/comentarios?bilhete=b2`,
      'editar',
    ]);
  });

  const failing = async (): Promise<readonly [unknown, unknown]> => [
    await salas
      .ler(sala)
      .catch((error: { codigo: string; status?: number }) => [error instanceof ErroSvc, error.codigo, error.status ?? null]),
    await python(`try:\n  salas.ler('${sala}')\nexcept ErroSvc as erro:\n  saida = [True, erro.codigo, erro.status]`),
  ];

  test('refuse with the portal’s code, without a network, and without a credential', async () => {
    reply = () => ({ status: 404, 'content-type': 'application/problem+json', body: JSON.stringify(problem) });
    expect(await failing()).toEqual([
      [true, 'ROOM_NOT_FOUND', 404],
      [true, 'ROOM_NOT_FOUND', 404],
    ]);
    reply = () => ({ status: 502, 'content-type': 'text/html', body: '<h1>' });
    expect(await failing()).toEqual([
      [true, 'HTTP_502', 502],
      [true, 'HTTP_502', 502],
    ]);
    vi.stubEnv('SVC_PORTAL_URL', 'http://127.0.0.1:1');
    expect(await failing()).toEqual([
      [true, 'SEM_REDE', null],
      [true, 'SEM_REDE', null],
    ]);
    vi.stubEnv('SVC_PORTAL_TOKEN', '');
    expect(await failing()).toEqual([
      [true, 'SEM_CREDENCIAL', null],
      [true, 'SEM_CREDENCIAL', null],
    ]);
    expect(salas.disponivel()).toMatchObject({ disponivel: false, codigo: 'SEM_CREDENCIAL' });
    expect(() => salas.entrar(sala, { Y })).toThrow('SEM_CREDENCIAL');
  });

  test('do not carry the credential to where a redirect points', async () => {
    const other = await startRoomServer((req, res) => {
      asked.push({ line: `other ${req.url}`, token: req.headers.authorization, type: undefined, body: '' });
      res.end('{}');
    });
    reply = () => ({ status: 302, body: '', location: `http://127.0.0.1:${other.port}/` });
    const [node, snake] = await failing();
    await other.close();
    expect([node, snake]).toEqual([
      [true, 'SEM_REDE', null],
      [true, 'HTTP_302', 302],
    ]);
    expect(asked.filter(({ line }) => line.startsWith('other'))).toEqual([]);
  });
});

describe('a Node backend in a room', () => {
  const until = async (look: () => boolean): Promise<boolean> => await vi.waitUntil(look, { timeout: 20_000, interval: 10 });

  test('joins, writes, is seen, loses the line, comes back with another ticket, and leaves', async () => {
    rooms.doc.getText('t').insert(0, 'do portal');
    const conexao = salas.entrar<Y.Doc, awarenessProtocol.Awareness>(sala, { Y, awarenessProtocol });
    const states: string[] = [];
    conexao.aoMudar(({ estado }) => states.push(estado));
    conexao.presenca.setLocalStateField('user', { name: 'Exportador' });
    await conexao.sincronizado;
    const text: Y.Text = conexao.doc.getText('t');
    expect(text.toJSON()).toBe('do portal');
    text.insert(text.length, ' e daqui');
    await until(() => rooms.doc.getText('t').toJSON() === 'do portal e daqui');
    await until(() => [...rooms.presence.getStates().values()].some((one) => (one['user'] as { name?: string }).name === 'Exportador'));
    rooms.kick(1006);
    await until(() => conexao.estado === 'fora');
    text.insert(0, '>');
    await until(() => rooms.doc.getText('t').toJSON() === '>do portal e daqui');
    // The portal has the text before its own answer says that everything is here.
    await until(() => conexao.estado === 'sincronizado');
    await conexao.sair();
    await until(() => rooms.open === 0);
    expect(states).toEqual(['conectando', 'sincronizado', 'fora', 'sincronizado', 'saiu']);
    expect(rooms.joins).toEqual([`/ws/salas/${sala}/documento?bilhete=b1`, `/ws/salas/${sala}/documento?bilhete=b2`]);
  });

  test('is told of its removal', async () => {
    reply = () => ({ status: 200, body: JSON.stringify({ usuario: 'ana', bilhete: null, caminho: '/x', papel: null, anexos: true }) });
    const conexao = salas.entrar(sala, { Y });
    await expect(conexao.sincronizado).rejects.toMatchObject({ code: 'sem-acesso' });
    expect(conexao.estado).toBe('sem-acesso');
    await conexao.sair();
  });

  const away = 'http://127.0.0.1:9';
  const proxies = { http_proxy: away, HTTP_PROXY: away, all_proxy: away, ALL_PROXY: away, NO_PROXY: 'x.org', NODE_USE_ENV_PROXY: '1' };
  test.for([
    ['', {}],
    [', past any proxy of the environment', proxies],
  ] as const)('holds the process until it leaves, and not after%s', async ([, env]) => {
    const script = `
      const Y = require('yjs');
      const awarenessProtocol = require('y-protocols/awareness');
      const { salas } = require(${JSON.stringify(join(import.meta.dirname, 'node/svc'))});
      const conexao = salas.entrar('${sala}', { Y, awarenessProtocol });
      conexao.sincronizado.then(() => conexao.sair()).then(() => console.log(conexao.estado));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
      cwd: import.meta.dirname,
      timeout: 20_000,
      env: { ...process.env, ...env },
    });
    expect(stdout).toBe('saiu\n');
  });
});
