/** One table over both runtimes: what spec 4.2, 4.4, 5.1, 5.2 and 7 ask of a backend, with real processes on real sockets. */
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
import { afterAll, describe, expect, test } from 'vitest';
import {
  answers,
  ask,
  backendEnv,
  benchEntrypoint,
  cleanUp,
  commandOf,
  exchange,
  runtimes,
  start,
  startBench,
  temporaryFolder,
  type Bench,
  type Runtime,
} from './testing/runtimes.ts';

const token = 'T0ken.segredo-çã'.normalize('NFC');
const withToken = [['X-Svc-App-Token', Buffer.from(token, 'utf8').toString('latin1')]] as const;
const plainToken = 'segredo-da-bancada';
const authorised = [['X-Svc-App-Token', plainToken]] as const;

function frontend(): string {
  const root = temporaryFolder();
  writeFileSync(join(root, 'index.html'), '<!doctype html>\n<html><head lang=pt><title>ção</title></head><body>oi</body></html>\n');
  writeFileSync(join(root, 'extra.js'), 'window.extra = 1\n');
  return root;
}

afterAll(cleanUp);

/** Headers that both runtimes must send alike; Date, Connection and Keep-Alive are each server's own. */
const shared = [
  'content-type',
  'content-length',
  'cache-control',
  'x-svc-token',
  'x-content-type-options',
  'accept-ranges',
  'etag',
  'last-modified',
];
const view = (answer: { status: number; headers: Readonly<Record<string, string>>; body: string }): unknown => ({
  status: answer.status,
  headers: Object.fromEntries(shared.flatMap((name) => (answer.headers[name] === undefined ? [] : [[name, answer.headers[name]]]))),
  body: answer.body.replace(/"pid":\d+/, '"pid":0'),
});

describe('the same request gets the same answer from both', () => {
  const json = 'application/json; charset=utf-8';
  const row = (
    name: string,
    asked: Parameters<typeof ask>[1],
    status: number,
    check: { type?: string; body?: RegExp; token?: string } = {},
  ) => ({
    name,
    asked,
    status,
    check,
  });
  const good = authorised;
  const table = [
    row('no token', { path: '/api/ping' }, 403, { type: json, token: 'recusado', body: /"error":"/ }),
    row('no token on /saude', { path: '/saude' }, 403, { token: 'recusado' }),
    row('wrong token', { path: '/', headers: [['X-Svc-App-Token', `${plainToken}x`]] }, 403, { token: 'recusado' }),
    row('a prefix of the token', { headers: [['X-Svc-App-Token', plainToken.slice(0, -1)]] }, 403, { token: 'recusado' }),
    row('an empty token', { headers: [['X-Svc-App-Token', '']] }, 403, { token: 'recusado' }),
    row('twice the right token', { headers: [...good, ...good] }, 403, { token: 'recusado' }),
    row('right and wrong', { headers: [...good, ['x-svc-app-token', 'no']] }, 403, { token: 'recusado' }),
    row('a look-alike beside it', { headers: [...good, ['X_Svc_App_Token', plainToken]] }, 403, { token: 'recusado' }),
    row('a look-alike alone', { headers: [['X_Svc_App_Token', plainToken]] }, 403, { token: 'recusado' }),
    row('dots for dashes', { headers: [['X.Svc.App.Token', plainToken]] }, 403, { token: 'recusado' }),
    row('another case of the name', { path: '/api/ping', headers: [['x-sVC-aPP-tOKEN', plainToken]] }, 200, { type: json }),
    row('/saude', { path: '/saude', headers: good }, 200, { type: json, body: /^\{"ok":true,"versao":"dev","pid":\d+\}$/ }),
    row('/saude with a query', { path: '/saude?x=1', headers: good }, 200, { body: /"ok":true/ }),
    row('HEAD /saude', { method: 'HEAD', path: '/saude', headers: good }, 200, { body: /^$/ }),
    row('POST /saude is the app’s', { method: 'POST', path: '/saude', headers: good }, 404, { body: /rota desconhecida/ }),
    row('JSON', { path: '/api/ping', headers: good }, 200, { type: json }),
    row('HEAD of JSON', { method: 'HEAD', path: '/api/ping', headers: good }, 200, { body: /^$/ }),
    row('unknown route', { path: '/api/nada', headers: good }, 404, { type: json, body: /"error":"rota desconhecida"/ }),
    row('any method passes the gate only with it', { method: 'DELETE', path: '/api/ping' }, 403, { token: 'recusado' }),
    row('OPTIONS too', { method: 'OPTIONS', path: '/api/ping' }, 403, { token: 'recusado' }),
    row('an absolute target', { path: 'http://app/api/ping', headers: good }, 400, { type: json }),
    row('a handler that throws', { path: '/api/erro', headers: good }, 500, { type: json, body: /^\{"error":"erro interno do app"\}$/ }),
    row('a JSON body', { method: 'POST', path: '/api/eco', headers: good, body: '{"a":[1,2]}' }, 200, {
      body: /^\{"eco":\{"a":\[1,2\]\}\}$/,
    }),
    row('not JSON', { method: 'POST', path: '/api/eco', headers: good, body: '{"a"' }, 400, { type: json }),
    row('not UTF-8', { method: 'POST', path: '/api/eco', headers: good, body: '"\xff"' }, 400, { type: json }),
    row('a body too large', { method: 'POST', path: '/api/eco', headers: good, body: `"${'x'.repeat(2_000)}"` }, 413, { type: json }),
    row('the index', { path: '/', headers: good }, 200, {
      type: 'text/html; charset=utf-8',
      body: /<head lang=pt><base href="\/"><script src="_sdk\/svc.js">/,
    }),
    row('the index by name', { path: '/index.html', headers: good }, 200, { body: /extra\.js\?v=[0-9a-f]{16}" defer/ }),
    row('HEAD of the index', { method: 'HEAD', path: '/', headers: good }, 200, { body: /^$/ }),
    row('a file', { path: '/extra.js', headers: good }, 200, { type: 'text/javascript; charset=utf-8', body: /^window\.extra = 1\n$/ }),
    row('_sdk is the system’s', { path: '/_sdk/svc.js', headers: good }, 404, { body: /rota desconhecida/ }),
    row('_sdk as a navigation', { path: '/_sdk/ui', headers: [...good, ['Accept', 'text/html']] }, 404, {}),
    row('a route of the page', { path: '/nota/7?x', headers: [...good, ['Accept', 'text/html,*/*']] }, 200, { body: /<base href="\/">/ }),
    row('the same, not a navigation', { path: '/nota/7', headers: [...good, ['Accept', '*/*']] }, 404, {}),
    row(
      'fetch() that accepts HTML',
      { path: '/nota/7', headers: [...good, ['Accept', 'text/html'], ['Sec-Fetch-Dest', 'empty']] },
      404,
      {},
    ),
    row('a missing file is not a route', { path: '/nota/x.js', headers: [...good, ['Accept', 'text/html']] }, 404, {}),
    row('api is never a route', { path: '/api/nota', headers: [...good, ['Accept', 'text/html']] }, 404, {}),
    row('POST to a route', { method: 'POST', path: '/nota/7', headers: [...good, ['Accept', 'text/html']] }, 404, {}),
  ];
  const benches = new Map<Runtime, Bench>();
  const root = frontend();

  test.each(runtimes)('%s starts', async (runtime) => {
    const bench = await startBench(runtime, root, { SVC_APP_TOKEN: plainToken });
    benches.set(runtime, bench);
    expect(bench.output()).toBe(`[bancada] versão dev escutando em ${bench.socket}\n`);
  });

  test.each(table)('$name → $status', async ({ asked, status, check }) => {
    const [python, node] = await Promise.all(runtimes.map((runtime) => ask(benches.get(runtime)!.socket, asked)));
    expect(python!.status).toBe(status);
    if (check.type !== undefined) expect(python!.headers['content-type']).toBe(check.type);
    if (check.body !== undefined) expect(python!.body).toMatch(check.body);
    expect(python!.headers['x-svc-token']).toBe(check.token);
    expect(view(node!)).toEqual(view(python!));
  });

  test.each(runtimes)('%s: a failed handler is one log line and the app goes on', async (runtime) => {
    const bench = benches.get(runtime)!;
    await ask(bench.socket, { path: '/api/erro', headers: authorised });
    const lines = readFileSync(join(bench.data, 'app.log'), 'utf8').trim().split('\n');
    const last = JSON.parse(lines.at(-1)!);
    expect(last).toMatchObject({ nivel: 'erro', evento: 'pedido.erro', metodo: 'GET', caminho: '/api/erro' });
    expect(last.erro.mensagem).toBe('quebrou\nde propósito \u001b[31m');
    expect(readFileSync(join(bench.data, 'app.log'), 'latin1')).not.toMatch(/[\0-\x09\x0b-\x1f\x7f]/);
    expect((await ask(bench.socket, { path: '/api/ping', headers: authorised })).status).toBe(200);
  });

  test.each(runtimes)('%s keeps the connection: many requests, bodies read and unread, on one socket', async (runtime) => {
    const head = `Host: app\r\nX-Svc-App-Token: ${plainToken}\r\n`;
    const bytes =
      `GET /api/ping HTTP/1.1\r\n${head}\r\n` +
      `POST /api/ping HTTP/1.1\r\n${head}Content-Length: 5\r\n\r\nnunca` +
      `POST /api/eco HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n2;x=y\r\n[1\r\n3\r\n,2]\r\n0\r\nTrailer: t\r\n\r\n` +
      `HEAD /extra.js HTTP/1.1\r\n${head}\r\n` +
      `GET /extra.js HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
    const found = answers(await exchange(benches.get(runtime)!.socket, bytes), ['GET', 'POST', 'POST', 'HEAD', 'GET']);
    expect(found.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(found[2]!.body).toBe('{"eco":[1,2]}');
    expect(found[4]!.headers['connection']).toBe('close');
    const late = `GET /api/ping HTTP/1.1\r\n${head}Connection: close\r\n\r\nGET /api/depois-do-fim HTTP/1.1\r\n${head}\r\n`;
    expect(await exchange(benches.get(runtime)!.socket, late)).toMatch(/^HTTP\/1\.1 200 /);
    expect((await ask(benches.get(runtime)!.socket, { path: '/api/vistos', headers: authorised })).body).not.toContain('depois-do-fim');
  });

  test.each(runtimes)('%s answers 100-continue only past the gate', async (runtime) => {
    const { socket } = benches.get(runtime)!;
    const request = (given: string): string =>
      `POST /api/eco HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${given}\r\nExpect: 100-continue\r\nContent-Length: 4\r\nConnection: close\r\n\r\ntrue`;
    expect(answers(await exchange(socket, request(plainToken))).map(({ status }) => status)).toEqual([100, 200]);
    const refused = answers(await exchange(socket, request('errado'))).map(({ status }) => status);
    expect(refused.at(-1)).toBe(403);
  });

  test.each(runtimes)('%s takes a 20 MB upload, sized and chunked', async (runtime) => {
    const { socket } = benches.get(runtime)!;
    const body = Buffer.alloc(20 * 1024 * 1024, 'x');
    const head = `POST /api/tamanho HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${plainToken}\r\nConnection: close\r\n`;
    const sized = Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]);
    const chunked = Buffer.concat([
      Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`),
      body,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    for (const bytes of [sized, chunked]) expect(answers(await exchange(socket, bytes))[0]!.body).toBe(`{"bytes":${body.length}}`);
  });

  test.each(runtimes)('%s refuses a head above 32 KiB with 431', async (runtime) => {
    const raw = await exchange(benches.get(runtime)!.socket, `GET / HTTP/1.1\r\nHost: app\r\nX-Grande: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(raw).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe.each(runtimes)('%s', (runtime) => {
  const begin = (extra: Record<string, string | undefined>, argv: readonly string[] = []) => {
    const home = temporaryFolder();
    return { home, ...start([...commandOf(runtime, benchEntrypoint(runtime)), home, ...argv], backendEnv(home, extra)) };
  };

  test('without SVC_APP_TOKEN the gate is open, also to a wrong token', async () => {
    const bench = await startBench(runtime, frontend());
    expect((await ask(bench.socket, { path: '/saude' })).status).toBe(200);
    expect((await ask(bench.socket, { path: '/api/ping', headers: [['X-Svc-App-Token', 'x']] })).status).toBe(200);
  });

  test('an empty SVC_APP_TOKEN closes the gate for everybody', async () => {
    const bench = await startBench(runtime, frontend(), { SVC_APP_TOKEN: '' });
    expect((await ask(bench.socket, {})).status).toBe(403);
    expect((await ask(bench.socket, { headers: [['X-Svc-App-Token', '']] })).status).toBe(403);
  });

  test('a token outside ASCII is compared by its bytes', async () => {
    const bench = await startBench(runtime, frontend(), { SVC_APP_TOKEN: token });
    expect((await ask(bench.socket, { path: '/saude', headers: withToken })).status).toBe(200);
  });

  test('the socket is 0600 in a 0700 folder, also when the folder was wider', async () => {
    const home = temporaryFolder();
    const socket = join(home, 'pasta/app.sock');
    mkdirSync(dirname(socket));
    chmodSync(dirname(socket), 0o755);
    const backend = start([...commandOf(runtime, benchEntrypoint(runtime)), home], backendEnv(home, { SVC_APP_SOCKET: socket }));
    await backend.said('escutando em');
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
  });

  test('a folder shared with other accounts is refused and left as it is', async () => {
    const home = temporaryFolder();
    chmodSync(home, 0o1777);
    const backend = begin({ SVC_APP_SOCKET: join(home, 'app.sock') });
    expect(await backend.ended).toBe(2);
    expect(statSync(home).mode & 0o7777).toBe(0o1777);
    expect(backend.output()).toContain('não é só desta conta');
  });

  test('an orphan socket is removed; the kill -9 that left it costs nothing', async () => {
    const first = await startBench(runtime, frontend());
    first.process.kill('SIGKILL');
    await first.ended;
    expect(lstatSync(first.socket).isSocket()).toBe(true);
    const second = start(
      [...commandOf(runtime, benchEntrypoint(runtime)), first.home],
      backendEnv(first.home, { SVC_APP_SOCKET: first.socket }),
    );
    await second.said('escutando em');
    expect((await ask(first.socket, { path: '/saude' })).body).toContain(`"pid":${second.process.pid}`);
  });

  test('a live instance makes the second one end with 0 and keeps serving', async () => {
    const first = await startBench(runtime, frontend());
    const second = start(
      [...commandOf(runtime, benchEntrypoint(runtime)), first.home],
      backendEnv(first.home, { SVC_APP_SOCKET: first.socket }),
    );
    expect(await second.ended).toBe(0);
    expect(second.output()).toContain('outra instância já atende');
    expect((await ask(first.socket, { path: '/saude' })).body).toContain(`"pid":${first.process.pid}`);
  });

  test('a live socket of anybody else counts as live', async () => {
    const home = temporaryFolder();
    const socket = join(home, 'app.sock');
    const other = createServer().listen(socket);
    const backend = begin({ SVC_APP_SOCKET: socket });
    expect(await backend.ended).toBe(0);
    other.close();
  });

  test.each(['file', 'folder', 'symlink to a file'])('never deletes a %s that stands at the address', async (what) => {
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

  test.each([
    ['nowhere to listen', {}, []],
    ['a relative address', { SVC_APP_SOCKET: 'app.sock' }, []],
    ['an address above 107 bytes', { SVC_APP_SOCKET: `/tmp/${'x'.repeat(110)}/app.sock` }, []],
    ['a bad --tcp', {}, ['--tcp', '8080']],
    ['--tcp without a value', {}, ['--tcp']],
    ['a port past 65535', {}, ['--tcp', '127.0.0.1:65536']],
    ['an unknown option', {}, ['--porta', '1']],
  ] as const)('%s → exit 2 with a sentence', async (_name, env, argv) => {
    const backend = begin(env, argv);
    expect(await backend.ended).toBe(2);
    expect(backend.output()).toMatch(/^\[bancada\] .+\n$/);
  });

  test('a taken port → exit 2', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => {
      other.once('listening', resolve);
    });
    const { port } = other.address() as { port: number };
    expect(await begin({}, ['--tcp', `127.0.0.1:${port}`]).ended).toBe(2);
    other.close();
  });

  test('--tcp with port 0 prints the free one and wins over SVC_APP_SOCKET', async () => {
    const home = temporaryFolder();
    const backend = begin({ SVC_APP_SOCKET: join(home, 'app.sock') }, ['--tcp', '127.0.0.1:0']);
    await backend.said('escutando em');
    const port = Number(/^\[bancada\] versão dev escutando em 127\.0\.0\.1:(\d+)\n$/.exec(backend.output())![1]);
    expect((await ask({ port }, { path: '/saude' })).status).toBe(200);
    expect(existsSync(join(home, 'app.sock'))).toBe(false);
  });

  test('inside an installed package the version is the manifest’s', async () => {
    const bench = await startBench(runtime, frontend(), { SVC_APP_INSTALLED_HASH: 'abc' });
    expect(bench.output()).toContain('[bancada] versão 2.3.4 escutando');
    expect((await ask(bench.socket, { path: '/saude' })).body).toContain('"versao":"2.3.4"');
  });

  test('SIGTERM: the answer under way ends, idle connections close, exit 0, no socket left', async () => {
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

  test('SIGTERM with an answer that never ends: still exit 0, within the grace', async () => {
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

  test('app.log: one safe JSON line per event, 0600', async () => {
    const bench = await startBench(runtime, frontend());
    await ask(bench.socket, { path: '/api/log' });
    await ask(bench.socket, {});
    const file = join(bench.data, 'app.log');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const raw = readFileSync(file);
    expect([...raw.filter((byte) => (byte < 32 && byte !== 10) || byte === 127)]).toEqual([]);
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

  test('app.log rotates by size, whole lines only, and what is kept is bounded', async () => {
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

  test('a log that can’t be written costs the line, not the app', async () => {
    const bench = await startBench(runtime, frontend());
    mkdirSync(join(bench.data, 'app.log'));
    expect((await ask(bench.socket, { path: '/api/log' })).status).toBe(200);
    await bench.said('app.log não pôde ser escrito');
  });

  test('the data folder is ~/.svc-apps/<id>/data without SVC_APP_DATA_DIR', async () => {
    const bench = await startBench(runtime, frontend(), { SVC_APP_DATA_DIR: undefined });
    await ask(bench.socket, { path: '/api/log' });
    expect(existsSync(join(bench.home, '.svc-apps/bancada/data/app.log'))).toBe(true);
  });

  test('queue, rooms, metrics and GPU say why they are not there', async () => {
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

  test('with the portal’s credential, verbs of a later version refuse with a code instead of pretending', async () => {
    const bench = await startBench(runtime, frontend(), { SVC_PORTAL_URL: 'http://127.0.0.1:1', SVC_PORTAL_TOKEN: 'x' });
    const found = JSON.parse((await ask(bench.socket, { path: '/api/recursos' })).body);
    expect(found.fila).toMatchObject({ disponivel: false, codigo: 'NAO_CONSTRUIDO' });
    expect(found).toMatchObject({
      submeter: { codigo: 'NAO_CONSTRUIDO' },
      bilhete: { codigo: 'NAO_CONSTRUIDO' },
      contar: { codigo: 'NAO_CONSTRUIDO' },
    });
  });

  test('50 connections at once, 40 requests each, are all answered', async () => {
    const bench = await startBench(runtime, frontend());
    const request = 'GET /api/ping HTTP/1.1\r\nHost: app\r\n\r\n';
    const rounds = Array.from({ length: 50 }, () =>
      exchange(bench.socket, request.repeat(39) + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')),
    );
    for (const raw of await Promise.all(rounds)) expect(answers(raw).filter(({ status }) => status === 200)).toHaveLength(40);
  });

  test('the page’s validators follow its content', async () => {
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
