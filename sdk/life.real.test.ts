/** Where a backend listens, how it ends, what it logs, what it was granted: rules 2.6, 4.4, 5 and 7, on real processes of both runtimes. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import {
  answers,
  ask,
  backendEnv,
  cleanUp,
  exchange,
  frontend,
  gated,
  readySentence,
  runtimes,
  startBench,
  startCommand,
  temporaryFolder,
} from './testing/runtimes.ts';

const token = 'T0ken.segredo-çã';
/** Credential of a portal that does not exist. */
const credential = { SVC_PORTAL_URL: 'http://127.0.0.1:1', SVC_PORTAL_TOKEN: 'x' };
const withToken = [['X-Svc-App-Token', Buffer.from(token, 'utf8').toString('latin1')]] as const;

afterAll(cleanUp);

// Each test has a backend and a folder of its own, and mostly waits for processes to come up.
describe.concurrent.each(gated)('%s', (runtime) => {
  const begin = (extra: Record<string, string | undefined>, argv: readonly string[] = []) => {
    const home = temporaryFolder();
    return { home, ...startCommand(runtime, home, backendEnv(home, extra), argv) };
  };

  test('without SVC_APP_TOKEN the gate is open, also to a wrong token', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    expect((await ask(bench.socket, { path: '/saude' })).status).toBe(200);
    expect((await ask(bench.socket, { path: '/api/ping', headers: [['X-Svc-App-Token', 'x']] })).status).toBe(200);
  });

  test('an empty SVC_APP_TOKEN closes the gate for everybody', async ({ expect }) => {
    const bench = await startBench(runtime, frontend(), { SVC_APP_TOKEN: '' });
    expect((await ask(bench.socket, {})).status).toBe(403);
    expect((await ask(bench.socket, { headers: [['X-Svc-App-Token', '']] })).status).toBe(403);
  });

  test('a token outside ASCII is compared by its bytes', async ({ expect }) => {
    const bench = await startBench(runtime, frontend(), { SVC_APP_TOKEN: token });
    expect((await ask(bench.socket, { path: '/saude', headers: withToken })).status).toBe(200);
  });

  test('the socket is 0600 in a 0700 folder, also when the folder was wider', async ({ expect }) => {
    const home = temporaryFolder();
    const socket = join(home, 'pasta/app.sock');
    mkdirSync(dirname(socket));
    chmodSync(dirname(socket), 0o755);
    const backend = startCommand(runtime, home, backendEnv(home, { SVC_APP_SOCKET: socket }));
    await backend.said('escutando em');
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
  });

  test('a folder shared with other accounts is refused and left as it is', async ({ expect }) => {
    const home = temporaryFolder();
    chmodSync(home, 0o1777);
    const backend = begin({ SVC_APP_SOCKET: join(home, 'app.sock') });
    expect(await backend.ended).toBe(2);
    expect(statSync(home).mode & 0o7777).toBe(0o1777);
    expect(backend.output()).toContain('não é só desta conta');
  });

  test('an orphan socket is removed; the kill -9 that left it costs nothing', async ({ expect }) => {
    const first = await startBench(runtime, frontend());
    first.process.kill('SIGKILL');
    await first.ended;
    expect(lstatSync(first.socket).isSocket()).toBe(true);
    const second = startCommand(runtime, first.home, backendEnv(first.home, { SVC_APP_SOCKET: first.socket }));
    await second.said(readySentence(runtime));
    expect((await ask(first.socket, { path: '/saude' })).body).toContain(`"pid":${second.process.pid}`);
  });

  test('a live instance makes the second one end with 0 and keeps serving', async ({ expect }) => {
    const first = await startBench(runtime, frontend());
    const second = startCommand(runtime, first.home, backendEnv(first.home, { SVC_APP_SOCKET: first.socket }));
    expect(await second.ended).toBe(0);
    expect(second.output()).toContain('outra instância já atende');
    expect((await ask(first.socket, { path: '/saude' })).body).toContain(`"pid":${first.process.pid}`);
  });

  test('a live socket of anybody else counts as live', async ({ expect }) => {
    const home = temporaryFolder();
    const socket = join(home, 'app.sock');
    const other = createServer().listen(socket);
    const backend = begin({ SVC_APP_SOCKET: socket });
    expect(await backend.ended).toBe(0);
    other.close();
  });

  test.for(['file', 'folder', 'symlink to a file'])('never deletes a %s that stands at the address', async (what, { expect }) => {
    const home = temporaryFolder();
    const socket = join(home, 'app.sock');
    if (what === 'file') writeFileSync(socket, 'minha tese');
    else if (what === 'folder') mkdirSync(socket);
    else {
      writeFileSync(join(home, 'tese'), 'minha tese');
      symlinkSync(join(home, 'tese'), socket);
    }
    expect(await begin({ SVC_APP_SOCKET: socket }).ended).toBe(2);
    expect(existsSync(socket)).toBe(true);
  });

  test.for([
    ['nowhere to listen', {}, []],
    ['a relative address', { SVC_APP_SOCKET: 'app.sock' }, []],
    ['an address above 107 bytes', { SVC_APP_SOCKET: `/tmp/${'x'.repeat(110)}/app.sock` }, []],
    ['a bad --tcp', {}, ['--tcp', '8080']],
    ['--tcp without a value', {}, ['--tcp']],
    ['a port past 65535', {}, ['--tcp', '127.0.0.1:65536']],
    ['an unknown option', {}, ['--porta', '1']],
  ] as const)('%s → exit 2 with a sentence', async ([, env, argv], { expect }) => {
    const backend = begin(env, argv);
    expect(await backend.ended).toBe(2);
    expect(backend.output()).toMatch(/^\[bancada\] .+\n$/);
  });

  test('a taken port → exit 2', async ({ expect }) => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => {
      other.once('listening', resolve);
    });
    const { port } = other.address() as { port: number };
    expect(await begin({}, ['--tcp', `127.0.0.1:${port}`]).ended).toBe(2);
    other.close();
  });

  test('--tcp with port 0 prints the free one and wins over SVC_APP_SOCKET', async ({ expect }) => {
    const home = temporaryFolder();
    const backend = begin({ SVC_APP_SOCKET: join(home, 'app.sock') }, ['--tcp', '127.0.0.1:0']);
    await backend.said(readySentence(runtime));
    const port = Number(/^\[bancada\] versão dev escutando em 127\.0\.0\.1:(\d+)$/m.exec(backend.output())![1]);
    expect((await ask({ port }, { path: '/saude' })).status).toBe(200);
    expect(existsSync(join(home, 'app.sock'))).toBe(false);
  });

  test('inside an installed package the version is the manifest’s', async ({ expect }) => {
    const bench = await startBench(runtime, frontend(), { SVC_APP_INSTALLED_HASH: 'abc' });
    expect(bench.output()).toContain('[bancada] versão 2.3.4 escutando');
    expect((await ask(bench.socket, { path: '/saude' })).body).toContain('"versao":"2.3.4"');
  });

  test('SIGTERM: the answer under way ends, idle connections close, exit 0, no socket left', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    const idle = connect(bench.socket);
    idle.resume();
    const idleClosed = new Promise((resolve) => {
      idle.once('close', resolve);
    });
    const busy = connect(bench.socket);
    let got = '';
    busy.on('data', (part: Buffer) => (got += part.toString('latin1')));
    const busyClosed = new Promise((resolve) => {
      busy.once('close', resolve);
    });
    busy.write('POST /api/eco HTTP/1.1\r\nHost: app\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n');
    // The 100 proves that the handler is at work on this request.
    await new Promise((resolve) => {
      busy.once('data', resolve);
    });
    bench.process.kill('SIGTERM');
    await idleClosed;
    busy.write('true');
    await busyClosed;
    expect(got).toContain('{"eco":true}');
    expect(await bench.ended).toBe(0);
    expect(existsSync(bench.socket)).toBe(false);
  });

  test('SIGTERM: the app ends its own streams, which are not cut', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    const stream = connect(bench.socket);
    let got = '';
    stream.on('data', (part: Buffer) => (got += part.toString('latin1')));
    const closed = new Promise((resolve) => {
      stream.once('close', resolve);
    });
    stream.write('GET /api/corrente HTTP/1.1\r\nHost: app\r\n\r\n');
    await expect.poll(() => got).toContain('inicio');
    bench.process.kill('SIGTERM');
    await closed;
    expect(got).toContain('fim');
    expect(await bench.ended).toBe(0);
  });

  test.skipIf(runtime === 'wrap')('servidor.encerrar() ends it in order, and nothing starts it again', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    const folder = dirname(bench.socket);
    writeFileSync(join(folder, 'env'), '');
    expect((await ask(bench.socket, { path: '/api/encerrar' })).status).toBe(200);
    expect([await bench.ended, readdirSync(folder).filter((name) => name !== 'data')]).toEqual([0, ['encerrado']]);
  });

  test('SIGTERM with an answer that never ends: still exit 0, within the grace', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    const stuck = connect(bench.socket);
    stuck.on('error', () => {});
    stuck.write('POST /api/eco HTTP/1.1\r\nHost: app\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n');
    await new Promise((resolve) => {
      stuck.once('data', resolve);
    });
    const before = Date.now();
    bench.process.kill('SIGTERM');
    expect(await bench.ended).toBe(0);
    expect(Date.now() - before).toBeLessThan(9_000); // the supervisor kills after 10 s
    stuck.destroy();
  });

  test('50 connections at once, 40 requests each, are all answered', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    const request = 'GET /api/ping HTTP/1.1\r\nHost: app\r\n\r\n';
    const rounds = Array.from({ length: 50 }, () =>
      exchange(bench.socket, request.repeat(39) + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')),
    );
    for (const raw of await Promise.all(rounds)) expect(answers(raw).filter(({ status }) => status === 200)).toHaveLength(40);
  });
});

describe.concurrent.each(runtimes)('the runtime of %s', (runtime) => {
  test('app.log: one safe JSON line per event, 0600', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    await ask(bench.socket, { path: '/api/log' });
    await ask(bench.socket, {});
    const file = join(bench.data, 'app.log');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const raw = readFileSync(file);
    expect(raw.filter((byte) => (byte < 32 && byte !== 10) || byte === 127)).toHaveLength(0);
    expect(raw.toString('utf8')).not.toMatch(/[\u0080-\u009f\u2028\u202e]/);
    const lines = raw
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({
      nivel: 'info',
      evento: 'tudo',
      texto: 'a\nb\u001b[0m\u009b31m\u2028\u202e\u007f',
      ts_: 'meu',
      n: 1,
      lista: [1, null, true],
      nada: null,
    });
    expect(lines[0].ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(lines[1]).toMatchObject({ nivel: 'info', evento: 'info' });
    expect(lines[2]).toMatchObject({ nivel: 'erro', evento: 'erro', erro: { mensagem: 'ruim' } });
    expect(lines[3]).toMatchObject({ evento: 'spa.script_ausente', arquivo: 'ausente.js' });
  });

  test('app.log rotates by size, whole lines only, and what is kept is bounded', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    for (let round = 0; round < 2; round += 1) await ask(bench.socket, { path: '/api/log-grande' });
    const files = readdirSync(bench.data)
      .filter((name) => name.startsWith('app.log'))
      .sort();
    expect(files).toEqual(['app.log', 'app.log.1', 'app.log.2']);
    for (const name of files) {
      const text = readFileSync(join(bench.data, name), 'utf8');
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4 * 1024 * 1024);
      for (const line of text.trimEnd().split('\n')) JSON.parse(line);
    }
  });

  test('a log that can’t be written costs the line, not the app', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    mkdirSync(join(bench.data, 'app.log'));
    expect((await ask(bench.socket, { path: '/api/log' })).status).toBe(200);
    await bench.said('app.log não pôde ser escrito');
  });

  test('the data folder is ~/.svc-apps/<id>/data without SVC_APP_DATA_DIR', async ({ expect }) => {
    const bench = await startBench(runtime, frontend(), { SVC_APP_DATA_DIR: undefined });
    await ask(bench.socket, { path: '/api/log' });
    expect(existsSync(join(bench.home, '.svc-apps/bancada/data/app.log'))).toBe(true);
  });

  test('queue, rooms, metrics and GPU say why they are not there', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    const found = JSON.parse((await ask(bench.socket, { path: '/api/recursos' })).body);
    expect(found.fila).toMatchObject({ disponivel: false, codigo: 'SEM_CREDENCIAL' });
    expect(found.fila.motivo).toMatch(/falta SVC_PORTAL_URL e SVC_PORTAL_TOKEN: .*recursos\.fila/);
    expect(found.gpu).toEqual({ concedida: false, dispositivos: [], motivo: 'não há limits.json: o app não foi iniciado pelo lançador' });
    expect(found).toMatchObject({ submeter: { codigo: 'SEM_CREDENCIAL' }, bilhete: { codigo: 'SEM_CREDENCIAL' }, contar: null });
    const file = join(bench.home, '.svc-apps/bancada/limits.json');
    writeFileSync(file, JSON.stringify({ gpu: { concedida: true, dispositivos: ['/dev/dri/renderD128'], motivo: 'física' } }));
    expect(JSON.parse((await ask(bench.socket, { path: '/api/recursos' })).body).gpu).toEqual({
      concedida: true,
      dispositivos: ['/dev/dri/renderD128'],
      motivo: 'física',
    });
    writeFileSync(file, '{"gpu":');
    expect(JSON.parse((await ask(bench.socket, { path: '/api/recursos' })).body).gpu).toMatchObject({ concedida: false, dispositivos: [] });
  });

  test('the state of the GPU says what was declared and given, all cards, and whether the given one still opens', async ({ expect }) => {
    const bench = await startBench(runtime, frontend());
    const estado = async () => JSON.parse((await ask(bench.socket, { path: '/api/recursos' })).body).estado;
    const nothing = { declarada: false, modo: null, concedida: false, acessivel: false, dispositivos: [], inventario: [] };
    expect(await estado()).toEqual({ ...nothing, motivo: 'não há limits.json: o app não foi iniciado pelo lançador' });
    const file = join(bench.home, '.svc-apps/bancada/limits.json');
    writeFileSync(file, JSON.stringify({ gpu: null }));
    expect(await estado()).toEqual({ ...nothing, motivo: 'o manifesto não declara recursos.gpu' });
    // /dev/null opens as a card would; no card can be had here.
    const card = { dispositivo: '/dev/null', fornecedor: 'NVIDIA', virtual: false };
    const gone = { ...card, dispositivo: '/dev/dri/renderD999' };
    const gpu = { modo: 'opcional', concedida: true, dispositivos: [card], inventario: [card, gone], motivo: 'NVIDIA' };
    writeFileSync(file, JSON.stringify({ gpu }));
    expect(await estado()).toEqual({ ...gpu, declarada: true, acessivel: true });
    writeFileSync(file, JSON.stringify({ gpu: { ...gpu, dispositivos: [gone, 7, { dispositivo: '../../etc/passwd' }, null] } }));
    expect(await estado()).toMatchObject({ concedida: true, acessivel: false });
    writeFileSync(file, JSON.stringify({ gpu: { modo: 'outro', concedida: 'sim', inventario: {} } }));
    expect(await estado()).toEqual({ ...nothing, declarada: true, motivo: 'sem motivo registrado' });
  });

  test('with the portal’s credential, verbs try, and say that the portal is away', async ({ expect }) => {
    const bench = await startBench(runtime, frontend(), { ...credential, SVC_PORTAL_SCOPES: 'salas,fila,metricas' });
    const found = JSON.parse((await ask(bench.socket, { path: '/api/recursos' })).body);
    expect(found.fila).toMatchObject({ disponivel: false, codigo: 'SEM_REDE' });
    expect(found).toMatchObject({
      submeter: { codigo: 'SEM_REDE' },
      bilhete: { codigo: 'SEM_REDE' },
      metricas: { disponivel: true, motivo: null },
      contar: null,
      duracao: null,
      relatar: null,
    });
  });

  test('a credential for rooms only: the others say which declaration is missing, and metrics do nothing', async ({ expect }) => {
    const bench = await startBench(runtime, frontend(), { ...credential, SVC_PORTAL_SCOPES: 'salas' });
    const found = JSON.parse((await ask(bench.socket, { path: '/api/recursos' })).body);
    const motivo = 'o manifesto não declara recursos.fila: a credencial vale só para salas';
    expect(found.fila).toEqual({ disponivel: false, motivo, codigo: 'SEM_ESCOPO' });
    expect(found.metricas).toMatchObject({ disponivel: false, codigo: 'SEM_ESCOPO' });
    expect(found.salas).toEqual({ disponivel: true, motivo: null, codigo: null });
    expect(found).toMatchObject({
      submeter: { codigo: 'SEM_ESCOPO' },
      bilhete: { codigo: 'SEM_REDE' },
      contar: null,
      duracao: null,
      relatar: null,
    });
  });

  test('a credential for metrics only has no rooms', async ({ expect }) => {
    const bench = await startBench(runtime, frontend(), { ...credential, SVC_PORTAL_SCOPES: 'metricas' });
    const found = JSON.parse((await ask(bench.socket, { path: '/api/recursos' })).body);
    expect(found.salas).toMatchObject({ disponivel: false, codigo: 'SEM_ESCOPO' });
    expect(found).toMatchObject({ bilhete: { codigo: 'SEM_ESCOPO' }, metricas: { disponivel: true }, contar: null });
  });

  test('a credential of a portal that does not say its scopes: rooms and metrics try', async ({ expect }) => {
    const bench = await startBench(runtime, frontend(), credential);
    const found = JSON.parse((await ask(bench.socket, { path: '/api/recursos' })).body);
    expect(found).toMatchObject({ salas: { disponivel: true }, metricas: { disponivel: true }, contar: null });
  });

  test('the page’s validators follow its content', async ({ expect }) => {
    const root = frontend();
    const bench = await startBench(runtime, root);
    const first = await ask(bench.socket, {});
    expect((await ask(bench.socket, { headers: [['If-None-Match', first.headers['etag']!]] })).status).toBe(304);
    writeFileSync(join(root, 'extra.js'), 'window.extra = 2\n');
    utimesSync(join(root, 'extra.js'), new Date(), new Date(Date.now() + 5_000));
    const second = await ask(bench.socket, { headers: [['If-None-Match', first.headers['etag']!]] });
    expect(second.status).toBe(200);
    expect(second.headers['etag']).not.toBe(first.headers['etag']);
  });
});
