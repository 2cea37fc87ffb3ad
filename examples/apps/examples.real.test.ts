/** Every example app: what every app must do (`svc test-app`), and what each of them does, started over a unix socket as the launcher does. */
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { WebSocket, type RawData } from 'ws';
import { ask, cleanUp, temporaryFolder } from '../../sdk/testing/runtimes.ts';
import { testApp } from '../../bin/test-app/run.ts';
import { everyNth } from '../../test/support/share.ts';
import { asOwner, examples, launch, readManifest, ready, type Fields, type Started } from '../testing/launch.ts';

const parsed = (data: RawData): Fields => JSON.parse((data as Buffer).toString());

const ids = readdirSync(join(examples, 'apps'), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const faults = readdirSync(join(examples, 'faults'));

afterEach(cleanUp);
afterAll(cleanUp);

test.each(faults)('faults/%s has a valid manifest and its icon', (id) => {
  const manifest = readManifest(join(examples, 'faults', id));
  expect(manifest.id).toBe(id);
  expect(existsSync(join(examples, 'faults', id, manifest.icon!))).toBe(true);
});

describe('svc test-app', () => {
  // Half of them, the other half the next time.
  test.concurrent.for(everyNth(2, ids))('finds no fault with %s', async (id) => {
    const { findings, ...judged } = await testApp(join(examples, 'apps', id), process.env);
    expect(judged.id).toBe(id);
    expect(findings.filter(([, { verdict }]) => !['pass', 'notApplicable'].includes(verdict))).toEqual([]);
  });
});

describe('notas', () => {
  test('keeps notes: create, read, change, conflict, delete; they survive a restart', async () => {
    const app = await ready(launch('apps', 'notas'));
    expect((await app.json('GET', '/api/notas')).value).toEqual({ revisao: 0, notas: [] });
    const created = await app.json('POST', '/api/notas', { titulo: 'Ata ç', texto: 'linha 1\nlinha 2' });
    expect(created).toMatchObject({ status: 201, value: { titulo: 'Ata ç', texto: 'linha 1\nlinha 2', versao: 1 } });
    const { id } = created.value;
    expect((await app.json('PUT', `/api/notas/${id}`, { titulo: 'Ata', texto: 'x', versao: 1 })).value).toMatchObject({
      versao: 2,
      texto: 'x',
    });
    const late = await app.json('PUT', `/api/notas/${id}`, { titulo: 'outra', texto: 'y', versao: 1 });
    expect(late).toMatchObject({ status: 409, value: { nota: { versao: 2, texto: 'x' } } });
    expect(statSync(join(app.data, 'notas', `${id}.json`)).mode & 0o777).toBe(0o600);
    app.process.kill('SIGKILL');
    await app.ended;
    const again = await ready(launch('apps', 'notas', { home: app.home }));
    expect((await again.json('GET', '/api/notas')).value.notas).toMatchObject([{ id, titulo: 'Ata', texto: 'x', versao: 2 }]);
    expect((await again.json('DELETE', `/api/notas/${id}`)).status).toBe(200);
    expect((await again.json('DELETE', `/api/notas/${id}`)).status).toBe(404);
    expect(readdirSync(join(again.data, 'notas'))).toEqual([]);
  });

  test('refuses what is not a note, and a name that is not an id', async () => {
    const app = await ready(launch('apps', 'notas'));
    for (const body of [[], 'texto', { titulo: 1 }, { texto: 'x'.repeat(200_001) }, { titulo: 'x'.repeat(201) }]) {
      expect(await app.json('POST', '/api/notas', body)).toMatchObject({ status: 400, value: { error: expect.any(String) } });
    }
    for (const path of ['/api/notas/..%2f..%2fsegredo', '/api/notas/x', '/api/notas/aaaaaaaaaaaaaaaa']) {
      expect((await app.json('PUT', path, { versao: 1 })).status).toBe(404);
    }
    expect((await app.json('PATCH', '/api/notas')).status).toBe(405);
  });

  test('kill -9 in the middle of writing never leaves half a note nor loses an answered one', async () => {
    const home = temporaryFolder();
    let app = await ready(launch('apps', 'notas', { home }));
    const { id } = (await app.json('POST', '/api/notas', { titulo: 'n', texto: '' })).value;
    let answered = 1;
    for (let round = 0; round < 6; round += 1) {
      const stopAt = answered + 5 + round * 3;
      for (;;) {
        const next = app.json('PUT', `/api/notas/${id}`, { titulo: 'n', texto: 'x'.repeat(100_000 + answered), versao: answered });
        if (answered >= stopAt) {
          // This one is under way, or its answer is, when the kill comes.
          setImmediate(() => app.process.kill('SIGKILL'));
          await next.then(
            ({ value }) => (answered = value.versao),
            () => {},
          );
          break;
        }
        answered = (await next).value.versao;
      }
      await app.ended;
      app = await ready(launch('apps', 'notas', { home }));
      const [note] = (await app.json('GET', '/api/notas')).value.notas;
      expect(note.versao).toBeGreaterThanOrEqual(answered);
      expect(note.texto).toHaveLength(100_000 + note.versao - 1);
      answered = note.versao;
    }
  });

  test('the page comes with the SDK, the kit and its own script by content hash', async () => {
    const app = await ready(launch('apps', 'notas'));
    const page = (await app.call({ path: '/nota/0123456789abcdef', headers: [['Accept', 'text/html']] })).body;
    expect(page).toMatch(
      /<base href="\/"><script src="_sdk\/svc\.js"><\/script>.*svc-ui\.css.*<script src="notas\.js\?v=[0-9a-f]{16}" defer>/,
    );
    const [, url] = /src="(notas\.js\?v=[0-9a-f]{16})"/.exec(page)!;
    expect((await app.call({ path: `/${url}` })).headers['cache-control']).toContain('immutable');
  });
});

describe('relogio', () => {
  const open = (app: Started, headers: Record<string, string> = { [asOwner[0]]: asOwner[1] }): WebSocket =>
    new WebSocket(`ws+unix:${app.socket}:/ws`, { headers });
  const next = (ws: WebSocket): Promise<Fields> =>
    new Promise((resolve, reject) => {
      ws.once('message', (data) => resolve(parsed(data)));
      ws.once('error', reject);
    });

  test('pushes the time over a real WebSocket, echoes, answers pings, says 1001 at its end', async () => {
    const app = await ready(launch('apps', 'relogio'));
    const ws = open(app);
    const first = await next(ws);
    expect(first).toMatchObject({ tipo: 'hora', pid: app.process.pid });
    expect(Math.abs(first.agora - Date.now())).toBeLessThan(5_000);
    const second = await next(ws);
    expect(second.agora).toBeGreaterThan(first.agora);
    const text = 'eco ção '.repeat(4_000);
    const echoed = new Promise((resolve) => {
      ws.on('message', (data) => {
        const message = parsed(data);
        if (message.tipo === 'eco') resolve(message.texto);
      });
    });
    ws.send(text);
    expect(await echoed).toBe(text);
    const pong = new Promise((resolve) => {
      ws.once('pong', (data: Buffer) => resolve(data.toString()));
    });
    ws.ping('vivo?');
    expect(await pong).toBe('vivo?');
    const closed = new Promise((resolve) => {
      ws.once('close', resolve);
    });
    app.process.kill('SIGTERM');
    expect(await closed).toBe(1001);
    expect(await app.ended).toBe(0);
  });

  test('an upgrade without the token gets the gate’s 403', async () => {
    const app = await ready(launch('apps', 'relogio'));
    const refused = await new Promise<readonly unknown[]>((resolve, reject) => {
      const ws = open(app, {});
      ws.once('unexpected-response', (_request, answer) => resolve([answer.statusCode, answer.headers['x-svc-token']]));
      ws.once('open', () => reject(new Error('opened without the token')));
    });
    expect(refused).toEqual([403, 'recusado']);
  });

  const broken = [
    ['an unmasked frame', Buffer.from([0x81, 0x02, 0x6f, 0x69]), 1002],
    ['a reserved bit', Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
    ['an unknown opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
    ['a fragmented ping', Buffer.from([0x09, 0x80, 0, 0, 0, 0]), 1002],
    ['a continuation of nothing', Buffer.from([0x80, 0x80, 0, 0, 0, 0]), 1002],
    ['a frame of 16 EB', Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), 1009],
    ['text that is not UTF-8', Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), 1007],
  ] as const;

  const answerTo = async (app: Started, bytes: Buffer): Promise<Buffer> =>
    await new Promise<Buffer>((resolve, reject) => {
      const upgrade = request({
        socketPath: app.socket,
        path: '/ws',
        headers: {
          [asOwner[0]]: asOwner[1],
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        },
      });
      upgrade.once('error', reject);
      upgrade.once('upgrade', (_answer, socket, head) => {
        const parts: Buffer[] = [head];
        socket.on('data', (part: Buffer) => parts.push(part));
        socket.once('end', () => resolve(Buffer.concat(parts)));
        socket.write(bytes);
      });
      upgrade.end();
    });

  test('a frame that breaks the protocol closes its connection with the code for it and nothing else', async () => {
    const app = await ready(launch('apps', 'relogio'));
    for (const [what, bytes, code] of broken) {
      const received = await answerTo(app, bytes);
      const { status } = await app.call({ path: '/saude' });
      expect([what, ...received.subarray(-4), status]).toEqual([what, 0x88, 2, code >> 8, code & 0xff, 200]);
    }
  });
});

test('batimento beats on disk and goes on counting after a kill', async () => {
  const app = await ready(launch('apps', 'batimento'));
  const beat = async (of: Started): Promise<number> => (await of.json('GET', '/api/batimento')).value.batimento;
  const reached = async (of: Started, count: number): Promise<void> => {
    while ((await beat(of)) < count) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await reached(app, 2);
  app.process.kill('SIGKILL');
  await app.ended;
  const onDisk = JSON.parse(readFileSync(join(app.data, 'batimento.json'), 'utf8')).batimento;
  const again = await ready(launch('apps', 'batimento', { home: app.home }));
  await reached(again, onDisk + 1);
  const second = launch('apps', 'batimento', { home: app.home });
  expect(await second.ended).toBe(0);
  again.process.kill('SIGTERM');
  expect(await again.ended).toBe(0);
  expect(readFileSync(join(again.data, 'app.log'), 'utf8')).toMatch(/"evento":"batimento\.fim"/);
});

test('motor-eco gives back what a caller sends to the route of eco/v1', async () => {
  const app = await ready(launch('apps', 'motor-eco'));
  const { rota } = app.manifest.capacidades!['eco/v1']!;
  const answer = await app.call({ method: 'POST', path: `${rota}/eco`, headers: [['X-Svc-Chamador', 'notas']], body: 'ol\xc3\xa1' });
  expect(JSON.parse(answer.body)).toEqual({ de: 'notas', texto: 'olá' });
});

test('cai ends with code 3, or as its data says, and stays once it has fallen enough', async () => {
  const home = temporaryFolder();
  expect(await launch('faults', 'cai', { home }).ended).toBe(3);
  writeFileSync(join(home, '.svc-apps/cai/data/queda.json'), '{"aposMs":5,"sinal":"SIGKILL","quedas":2}');
  expect(await launch('faults', 'cai', { home }).ended).toBe('SIGKILL');
  const third = await ready(launch('faults', 'cai', { home }));
  expect((await third.json('GET', '/api/vez')).value).toEqual({ vez: 3, pid: third.process.pid });
});

test('porta-errada listens on a port and never on its socket', async () => {
  const app = launch('faults', 'porta-errada');
  await app.said('escutando em 127.0.0.1:');
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(app.output())![1]);
  expect((await ask({ port }, {})).status).toBe(200);
  expect(existsSync(app.socket)).toBe(false);
});

describe('faults', () => {
  test('nunca-liga lives without a socket and ends on SIGTERM', async () => {
    const app = launch('faults', 'nunca-liga');
    await app.said('sem socket');
    expect(existsSync(app.socket)).toBe(false);
    app.process.kill('SIGTERM');
    expect(await app.ended).toBe('SIGTERM');
  });

  test('sai-logo ends with 1 and says why', async () => {
    const app = launch('faults', 'sai-logo');
    expect(await app.ended).toBe(1);
    expect(app.output()).toContain('sai-logo:');
  });

  test.each([
    ['responde-500', 500],
    ['responde-401', 401],
  ])('%s answers %i to the owner, without the gate’s mark', async (id, status) => {
    const app = await ready(launch('faults', id));
    const answer = await app.call({ path: '/' });
    expect([answer.status, answer.headers['x-svc-token']]).toEqual([status, undefined]);
  });

  test('fala-demais says as much as it is told and then serves', async () => {
    const app = await ready(launch('faults', 'fala-demais', { env: { FALA_BYTES: String(32 * 1024 * 1024) } }));
    expect((await app.call({ path: '/' })).status).toBe(200);
  });

  test('demora comes up late', async () => {
    const app = launch('faults', 'demora', { env: { DEMORA_S: '0.5' } });
    await app.said('preparando');
    expect(existsSync(app.socket)).toBe(false);
    await ready(app);
    expect((await app.call({ path: '/' })).status).toBe(200);
  });
});

describe('assinador', () => {
  const signed = async (app: Started, texto: string): Promise<string> =>
    (await app.json('POST', '/api/assinar', { texto })).value.assinatura;

  test('starts without its secret, names it, and can do nothing else', async () => {
    const app = await ready(launch('apps', 'assinador'));
    expect((await app.json('GET', '/api/estado')).value).toEqual({ pronto: false, falta: 'ASSINADOR_CHAVE' });
    expect(await app.json('POST', '/api/assinar', { texto: 'x' })).toMatchObject({ status: 409, value: { falta: 'ASSINADOR_CHAVE' } });
  });

  test('signs with the key of its environment, knows the key from before, and keeps both to itself', async () => {
    const old = await ready(launch('apps', 'assinador', { env: { ASSINADOR_CHAVE: 'chave-velha-91' } }));
    const before = await signed(old, 'olá');
    const app = await ready(
      launch('apps', 'assinador', { env: { ASSINADOR_CHAVE: 'chave-nova-73', ASSINADOR_CHAVE_ANTERIOR: 'chave-velha-91' } }),
    );
    const now = await signed(app, 'olá');
    expect(now).not.toBe(before);
    const check = async (assinatura: string, texto = 'olá') => (await app.json('POST', '/api/conferir', { texto, assinatura })).value;
    expect(await check(now)).toEqual({ vale: true, chave: 'atual' });
    expect(await check(before)).toEqual({ vale: true, chave: 'anterior' });
    expect(await check(now, 'outro')).toEqual({ vale: false, chave: null });
    expect(await check('não é')).toEqual({ vale: false, chave: null });
    expect(readFileSync(join(app.data, 'app.log'), 'utf8')).not.toMatch(/chave-(nova|velha)/);
  });

  test('refuses what is no text with its signature', async () => {
    const app = await ready(launch('apps', 'assinador', { env: { ASSINADOR_CHAVE: 'k' } }));
    for (const body of [{}, { texto: '' }, { texto: 7 }, [], { texto: 'x', assinatura: 7 }])
      expect([body, (await app.json('POST', '/api/conferir', body)).status]).toEqual([body, 400]);
  });
});

test('placa takes the way of the processor without a GPU, and of the GPU with one', async () => {
  const without = await ready(launch('apps', 'placa'));
  expect((await without.json('GET', '/api/gpu')).value).toMatchObject({ motor: 'processador', concedida: false, declarada: false });
  const home = temporaryFolder();
  mkdirSync(join(home, '.svc-apps/placa'), { recursive: true, mode: 0o700 });
  const card = { dispositivo: '/dev/null', fornecedor: 'NVIDIA', modelo: 'T4', driver: 'nvidia', virtual: false, acessivel: true };
  const gpu = { modo: 'opcional', concedida: true, dispositivos: [card], inventario: [card], motivo: 'NVIDIA T4 (nvidia) em /dev/null' };
  writeFileSync(join(home, '.svc-apps/placa/limits.json'), JSON.stringify({ gpu }));
  const app = await ready(launch('apps', 'placa', { home }));
  expect((await app.json('GET', '/api/gpu')).value).toEqual({ motor: 'gpu', ...gpu, declarada: true, acessivel: true });
});
