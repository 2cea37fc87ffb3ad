/**
 * svc-wrap before a program that knows nothing of svc: what of the portal reaches it, which network it has, how both end. The gate, the socket and the
 * end of the wrapper are rows of gate.real.test.ts, life.real.test.ts and contract.real.test.ts. Decision: docs/decisions/0430-svc-wrap.md
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { answers, ask, backendEnv, cleanUp, exchange, start, temporaryFolder, wrapper, type Backend } from './testing/runtimes.ts';

const token = 'ficha-do-embrulho';
const good = [['X-Svc-App-Token', token]] as const;
const program = [process.execPath, path.join(import.meta.dirname, 'testing/wrapped/program.mjs')];

afterAll(cleanUp);

interface Wrapped extends Backend {
  readonly socket: string;
  readonly get: (path: string, headers?: readonly (readonly [string, string])[]) => ReturnType<typeof ask>;
}

/** Listening on return; whether the program answers is `said`. */
async function wrap(argv: readonly string[], extra: Record<string, string> = {}): Promise<Wrapped> {
  const home = temporaryFolder();
  const socket = path.join(home, '.svc-apps/bancada/app.sock');
  const env = backendEnv(home, {
    SVC_APP_ID: 'bancada',
    SVC_APP_SOCKET: socket,
    SVC_APP_TOKEN: token,
    SVC_PORTAL_TOKEN: 'do-portal',
    ...extra,
  });
  const backend = start([wrapper, ...argv], env);
  await backend.said('escutando em');
  return { ...backend, socket, get: (asked, headers = []) => ask(socket, { path: asked, headers: [...good, ...headers] }) };
}

async function ready(argv: readonly string[], extra: Record<string, string> = {}): Promise<Wrapped> {
  const wrapped = await wrap(argv, extra);
  await wrapped.said('o programa atende');
  return wrapped;
}

const onSocket = ['--', ...program, '{socket}'];
const onPort = ['--', ...program, '{port}'];
const seenBy = async (wrapped: Wrapped, ...asked: Parameters<Wrapped['get']>): Promise<{ url: string; headers: string[]; pid: number }> =>
  JSON.parse((await wrapped.get(...asked)).body);
const isAlive = (pid: number): boolean => spawnSync('kill', ['-0', String(pid)]).status === 0;

describe.concurrent('what the program gets', () => {
  test('the marks of the app and none of its secrets', async ({ expect }) => {
    const wrapped = await ready(['--env', 'PASTA={data}:{home}:{base}', ...onSocket]);
    const env = JSON.parse((await wrapped.get('/ambiente')).body);
    expect(env).toMatchObject({
      SVC_APP_ID: 'bancada',
      SVC_APP_SOCKET: wrapped.socket,
      PASTA: `${env.HOME}/.svc-apps/bancada/data:${env.HOME}:/`,
    });
    expect(Object.keys(env).filter((name) => name.includes('TOKEN') || name.startsWith('SVC_PORTAL'))).toEqual([]);
    expect(JSON.stringify(env)).not.toMatch(/ficha-do-embrulho|do-portal/);
  });

  test('no header that ends at the wrapper, and none that looks like one of framing', async ({ expect }) => {
    const wrapped = await ready(onSocket);
    const sent = [
      ['X-Svc-Em-Nome', 'mandato'],
      ['x_svc_em_nome', 'mandato'],
      ['TE', 'trailers'],
      ['Keep-Alive', '5'],
      ['Content_Length', '9'],
      ['Transfer.Encoding', 'chunked'],
      ['X-Svc-Chamador', 'outro'],
      ['X-Fica', 'ção'],
    ] as const;
    const { headers } = await seenBy(wrapped, '/x', sent);
    expect(headers).toEqual(['Host', 'app', 'X-Svc-Chamador', 'outro', 'X-Fica', 'ção', 'Connection', 'close']);
  });

  test.for([
    ['as it is', [], '/a?b=/c', 'nome.exemplo', '/a?b=/c', 'nome.exemplo', 'http://nome.exemplo'],
    ['--prefix keep', ['--prefix', 'keep'], '/a?b', 'nome.exemplo', '/proxy/app/bancada/a?b', 'nome.exemplo', 'http://nome.exemplo'],
    ['--host local', ['--host', 'local'], '/', 'nome.exemplo', '/', 'localhost', 'http://localhost'],
    ['--host local, from elsewhere', ['--host=local'], '/', 'outro.exemplo', '/', 'localhost', 'http://nome.exemplo'],
  ] as const)('path, Host and Origin: %s', async ([, options, asked, host, url, seenHost, seenOrigin], { expect }) => {
    const wrapped = await ready([...options, ...onSocket], { SVC_APP_BASE_PATH: '/proxy/app/bancada/' });
    const head = `GET ${asked} HTTP/1.1\r\nHost: ${host}\r\nX-Svc-App-Token: ${token}\r\nOrigin: http://nome.exemplo\r\nConnection: close\r\n\r\n`;
    const seen = JSON.parse(answers(await exchange(wrapped.socket, head))[0]!.body);
    expect(seen.url).toBe(url);
    expect(seen.headers.slice(0, 4)).toEqual(['Host', seenHost, 'Origin', seenOrigin]);
  });

  test('no trailers, which some programs take for headers', async ({ expect }) => {
    const wrapped = await ready(onSocket);
    const head = `POST /x HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${token}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const [answer] = answers(await exchange(wrapped.socket, `${head}2\r\nab\r\n0\r\nX-Svc-Em-Nome: a\r\nOutro: b\r\n\r\n`));
    expect([answer!.status, JSON.parse(answer!.body).trailers]).toEqual([200, []]);
  });
});

describe.concurrent('what comes back', () => {
  test.for([
    ['http://127.0.0.1:8080/a?b#c', '/a?b#c'],
    ['http://localhost:8080', '/'],
    ['http://app/x', '/x'],
    ['https://APP/x', 'https://APP/x'],
    ['http://app?x', '/?x'],
    ['http://127.0.0.1:8080//fora.exemplo/', '/.//fora.exemplo/'],
    ['http://127.0.0.1:8080/\\fora.exemplo/', '/./\\fora.exemplo/'],
    ['http://127.0.0.1:9/a', 'http://127.0.0.1:9/a'],
    ['https://fora.exemplo/a', 'https://fora.exemplo/a'],
    ['relativo', 'relativo'],
  ] as const)('Location %s → %s', async ([said, kept], { expect }) => {
    const wrapped = await ready(onPort);
    expect((await wrapped.get(`/ir?para=${encodeURIComponent(said)}`)).headers['location']).toBe(kept);
  });

  test('a stream reaches the browser while it goes on', async ({ expect }) => {
    const wrapped = await ready(onSocket);
    const stream = connect(wrapped.socket);
    let got = '';
    stream.on('data', (part: Buffer) => (got += part.toString()));
    stream.write(`GET /corrente HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${token}\r\n\r\n`);
    await expect.poll(() => got).toContain('data: um');
    stream.destroy();
  });

  test.for([onSocket, onPort])('an upgraded connection carries bytes both ways: %s', async (argv, { expect }) => {
    const wrapped = await ready(argv);
    const head = `GET /ws HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${token}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`;
    const bytes = Buffer.alloc(3_000_000, 'abcdefg');
    const got = await exchange(wrapped.socket, Buffer.concat([Buffer.from(head), bytes]), true);
    expect(got.slice(0, 12)).toBe('HTTP/1.1 101');
    expect(got.slice(got.indexOf('\r\n\r\n') + 4) === bytes.toString('latin1')).toBe(true);
  });

  test.for(['h2c', 'HTTP/2.0', 'TLS/1.3, HTTP/1.1', 'websocket, h2c'])(
    'no upgrade to another HTTP, in which nobody judges: %s',
    async (upgrade, { expect }) => {
      const wrapped = await ready(onSocket);
      const asked = [
        ['Upgrade', upgrade],
        ['Connection', 'Upgrade, HTTP2-Settings'],
        ['HTTP2-Settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
      ] as const;
      const { headers } = await seenBy(wrapped, '/x', asked);
      expect(headers).toEqual(['Host', 'app', 'Connection', 'close']);
    },
  );

  test('a program on ::1 alone is found', async ({ expect }) => {
    const wrapped = await ready([...onPort, '0', '::1']);
    expect((await wrapped.get('/x')).status).toBe(200);
  });

  test('a program that takes one connection at a time gets all requests, one after the other', async ({ expect }) => {
    const slow = [
      'import socket, sys, time',
      's = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(1)',
      'while True:',
      '    c, _ = s.accept(); time.sleep(0.05)',
      '    try: c.recv(9999); c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")',
      '    except OSError: pass',
      '    c.close()',
    ];
    const wrapped = await ready(['--', 'python3', '-c', slow.join('\n'), '{socket}']);
    const all = await Promise.all(Array.from({ length: 12 }, () => wrapped.get('/x')));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  });

  test('503 with Retry-After until the program takes connections', async ({ expect }) => {
    const wrapped = await wrap([...onSocket, '700']);
    const early = await wrapped.get('/saude');
    expect([early.status, early.headers['retry-after']]).toEqual([503, '1']);
    expect((await ask(wrapped.socket, {})).status).toBe(403);
    await wrapped.said('o programa atende');
    expect((await wrapped.get('/saude')).body).toContain(`"pid":${wrapped.process.pid}`);
  });
});

describe.concurrent('who reaches it', () => {
  /** As another account of the machine: what curl says of the address. */
  const asStranger = (...address: string[]): string => {
    const done = spawnSync('curl', ['-s', '-m', '2', '-o', '/dev/null', '-w', '%{http_code}', ...address], { uid: 65_534, gid: 65_534 });
    return done.stdout.toString();
  };

  test('{socket}: 0600 in a 0700 folder', async ({ expect }) => {
    const wrapped = await ready(['--env', 'ONDE={socket}', ...onSocket]);
    const { ONDE: inner } = JSON.parse((await wrapped.get('/ambiente')).body);
    expect([statSync(inner).mode & 0o777, statSync(path.dirname(inner)).mode & 0o777]).toEqual([0o600, 0o700]);
    for (const socket of [wrapped.socket, inner]) expect(asStranger('--unix-socket', socket, 'http://app/')).toBe('000');
  });

  test('{port}: in a network of its own, where no other account has a way in', async ({ expect }) => {
    const wrapped = await ready(['--port', '8899', '--', ...program, '8899']);
    expect((await wrapped.get('/x')).status).toBe(200);
    const listening = ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFileSync(file, 'utf8')).join('');
    expect(listening).not.toMatch(/:22C3 [0:]+0000 0A/);
    for (const host of ['127.0.0.1', '[::1]']) expect(asStranger(`http://${host}:8899/`)).toBe('000');
  });

  test('--network host is said aloud, and any account reaches the port', async ({ expect }) => {
    const wrapped = await ready(['--network', 'host', '--env', 'PORTA={port}', ...onPort]);
    expect(wrapped.output()).toContain('atenção: --network host');
    const { PORTA: port } = JSON.parse((await wrapped.get('/ambiente')).body);
    expect(asStranger(`http://127.0.0.1:${port}/x`)).toBe('200');
  });
});

describe.concurrent('who asks', () => {
  const nobody = (socket: string, ...headers: string[]): { headers: string[] } =>
    JSON.parse(
      spawnSync('curl', ['-s', '-m', '5', '--unix-socket', socket, ...headers.flatMap((header) => ['-H', header]), 'http://app/x'], {
        uid: 65_534,
        gid: 65_534,
      }).stdout.toString(),
    );
  const forged = ['Remote-User: root', 'remote_user: root', 'REMOTE.USER: root'];

  test.for([onSocket, onPort])(
    'of server scope: the account that the kernel names, whatever the client writes: %s',
    async (argv, { expect }) => {
      const folder = temporaryFolder();
      chmodSync(folder, 0o755);
      writeFileSync(path.join(folder, 'svc-app.json'), '{"id":"bancada","escopo":"servidor","version":"1.0.0"}');
      const socket = path.join(folder, 'app.sock');
      const backend = start([wrapper, '--user-header', 'Remote-User', ...argv], backendEnv(folder, { SVC_APP_SOCKET: socket }), folder);
      await backend.said('o programa atende');
      const seen = nobody(socket, ...forged).headers;
      expect(seen.filter((text) => /root|nobody|remote/i.test(text))).toEqual(['Remote-User', 'nobody']);
      // The portal's own account, and root, are no person.
      const { body } = await ask(socket, { path: '/x', headers: [['Remote-User', 'alguem']] });
      expect(body).not.toMatch(/remote-user|alguem/i);
    },
  );

  test('of one person: their own account', async ({ expect }) => {
    const wrapped = await ready(['--user-header=X-Forwarded-User', ...onSocket]);
    const { headers } = await seenBy(wrapped, '/x', [['X-Forwarded-User', 'alguem']]);
    expect(headers.slice(headers.indexOf('X-Forwarded-User'))).toEqual(['X-Forwarded-User', userInfo().username, 'Connection', 'close']);
  });
});

const command = ['--', 'true', '{port}'];
test.concurrent.for([
  ['no command', []],
  ['nothing behind --', ['--']],
  ['a command that does not say where it listens', ['--', 'true']],
  ['two places', ['--', 'true', '{socket}', '{port}']],
  ['a socket and a port', ['--port', '80', '--', 'true', '{socket}']],
  ['an unknown option', ['--porta', '1', ...command]],
  ['an option without its value', ['--network']],
  ['an unknown network', ['--network', 'none', ...command]],
  ['a port that is none', ['--port', '0', ...command]],
  ['a variable without a name', ['--env', '=1', ...command]],
  ['a header that is none', ['--user-header', 'Remote User', ...command]],
  // Everybody reaches the port, and would say that they are somebody else.
  ['who asks, on a port of the machine', ['--network', 'host', '--user-header', 'Remote-User', ...command]],
  ['a bound that is none', ['--busy', 'cpu:muito', ...command]],
  ['work of an unknown kind', ['--busy', 'sempre', ...command]],
] as const)('%s → exit 2 with a sentence, and nothing was started', async ([, argv], { expect }) => {
  const home = temporaryFolder();
  const backend = start([wrapper, ...argv], backendEnv(home, { SVC_APP_SOCKET: path.join(home, 'app.sock') }));
  expect([await backend.ended, backend.output()]).toEqual([2, expect.stringMatching(/^\[dev\] .+; svc-wrap --help diz o uso\n$/)]);
});

describe.concurrent('work that is under way', () => {
  const busy = async (wrapped: Wrapped): Promise<unknown> => {
    const { ocupado, ocupadoPor } = JSON.parse((await wrapped.get('/saude')).body);
    return ocupado === true ? ocupadoPor : ocupado;
  };
  /** Connections to the app's socket, as the supervisor counts them (kit/supervise/unix-sockets.ts). */
  const uses = (socket: string): number =>
    readFileSync('/proc/net/unix', 'utf8')
      .split('\n')
      .filter((line) => line.endsWith(` ${socket}`) && / 0001 03 /.test(line)).length;

  test.for([
    ['an answer that contains a text', ['--busy', 'answer:/bin/x~"/bin/x"'], true],
    ['a script with odd letters', ['--busy', 'script:true \\\\ "ç\n"'], true, 'script:true \\\\ "???"'],
    ['a script longer than is told', ['--busy', `script:true ${'"'.repeat(300)}`], true, `script:true ${'"'.repeat(188)}`],
    ['an answer without it', ['--busy', 'answer:/x~trabalhando'], false],
    ['a script that ends with 0', ['--busy', 'script:true'], true],
    ['a script that does not', ['--busy', 'script:false'], false],
    ['processor time below the bound', ['--busy', 'cpu:400%'], false],
  ] as const)('%s: ocupado', async ([, options, expected, told = options[1]], { expect }) => {
    const wrapped = await ready([...options, ...onSocket]);
    if (expected) await wrapped.said('] ocupado');
    await expect.poll(async () => await busy(wrapped)).toBe(expected && told);
    // A connection that stands for use holds `ocioso` off.
    await expect.poll(() => uses(wrapped.socket), { timeout: 20_000 }).toBe(expected ? 1 : 0);
  });

  test('stays as it was where a question has no answer', async ({ expect }) => {
    const asked = path.join(temporaryFolder(), 'asked');
    const wrapped = await ready(['--busy', `script:echo >>${asked}; test $(wc -l <${asked}) = 1 || kill -KILL $$`, ...onSocket]);
    await wrapped.said('] ocupado');
    const { pid } = wrapped.process;
    const children = (): number => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').length;
    // The second question was killed, and the wrapper knows.
    await expect.poll(() => [readFileSync(asked, 'utf8'), children()], { timeout: 20_000 }).toEqual(['\n\n', 1]);
    expect(await busy(wrapped)).toContain('script:');
  });

  test('is not told without --busy', async ({ expect }) => {
    expect(await busy(await ready(onSocket))).toBe(undefined);
  });
});

describe.concurrent('the end', () => {
  test.for(['SIGKILL', 'SIGTERM'] as const)('of the wrapper by %s is that of all that the program started', async (signal, { expect }) => {
    const wrapped = await ready(onSocket);
    const { pid } = await seenBy(wrapped, '/x');
    const child = Number((await wrapped.get('/filho')).body);
    expect([isAlive(pid), isAlive(child)]).toEqual([true, true]);
    wrapped.process.kill(signal);
    await expect.poll(() => [isAlive(pid), isAlive(child)]).toEqual([false, false]);
  });

  test('is waited for without work: a program may take its time', async ({ expect }) => {
    const wrapped = await ready(['--env', 'FICA=1', ...onSocket]);
    const { pid } = wrapped.process;
    /** How often it let others go on because it had nothing to do. */
    const waits = (): number => Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    const before = waits();
    wrapped.process.kill('SIGTERM');
    await expect.poll(() => waits() - before, { timeout: 3_000 }).toBeGreaterThan(20);
    wrapped.process.kill('SIGKILL');
  });

  test.for([0, 7] as const)('of the program with %i is the wrapper’s, and of what it left', async (code, { expect }) => {
    const wrapped = await ready(onSocket);
    const child = Number((await wrapped.get('/filho')).body);
    await exchange(wrapped.socket, `GET /sair?com=${code} HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${token}\r\n\r\n`);
    expect(await wrapped.ended).toBe(code);
    await expect.poll(() => isAlive(child)).toBe(false);
  });

  test.for([
    [['--exit-is-stop'], 0, false],
    [['--exit-is-stop'], 7, true],
    [[], 0, true],
  ] as const)('%j, and the program ends with %i: the app is still wanted: %s', async ([options, code, wanted], { expect }) => {
    const wrapped = await ready([...options, ...onSocket]);
    const wish = path.join(path.dirname(wrapped.socket), 'env');
    writeFileSync(wish, '');
    await exchange(wrapped.socket, `GET /sair?com=${code} HTTP/1.1\r\nHost: app\r\nX-Svc-App-Token: ${token}\r\n\r\n`);
    await wrapped.ended;
    expect(existsSync(wish)).toBe(wanted);
  });

  test('of a command that is none says so', async ({ expect }) => {
    const wrapped = await wrap(['--', '/nada/programa', '{socket}']);
    expect(await wrapped.ended).toBe(127);
    expect(wrapped.output()).toContain('o programa não pôde ser iniciado: /nada/programa');
  });
});

test('a manifest of server scope: the app’s socket is everybody’s, the program’s is not', async ({ expect }) => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'svc-app.json'), '{"a":{"escopo":"pessoa"},"id":"bancada","escopo":"servidor","version":"1.0.0"}');
  const socket = path.join(folder, 'app.sock');
  const backend = start([wrapper, ...onSocket], backendEnv(folder, { SVC_APP_SOCKET: socket }), folder);
  await backend.said('o programa atende');
  expect(statSync(socket).mode & 0o777).toBe(0o666);
  expect(statSync(path.join(folder, 'wrap')).mode & 0o777).toBe(0o700);
  expect(readFileSync(`/proc/${backend.process.pid}/comm`, 'utf8')).toBe('svc-wrap\n');
});
