/**
 * Programs of others talk to an app and to the API from outside: curl with its offer of HTTP/2 (which Java's client makes, too), Python, a
 * WebSocket; at the portal itself, and through each reverse proxy of docs/fronts.md.
 * @module-tag carries-state
 */
import type { ChildProcess } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { fronts, openFront, type Front } from './fronts.ts';
import { openStreet, type Machine, type Street } from './machines.ts';
import { packMsMax, shippedTree } from './shipped-tree.ts';
import { until } from './until.ts';
import { createVisitor } from './visitor.ts';

let street: Street;
let machine: Machine;
let portalProcess: ChildProcess;
let cookie: (host: string) => string;
const startMs = performance.now();

/** Where they ask, under the names that people have. */
interface Door {
  readonly portal: string;
  readonly app: string;
  readonly clock: string;
  /** host:port that takes the connections. */
  readonly at: string;
}
const doorAt = (scheme: string, port: number): Door => ({
  portal: `${scheme}://svc.localhost:${port}`,
  app: `${scheme}://notas.svc.localhost:${port}`,
  clock: `${scheme}://relogio.svc.localhost:${port}`,
  at: `127.0.0.1:${port}`,
});
const direct = doorAt('http', 8787);
const front = doorAt('https', 8443);

const yaml = (more: string): string => `apiVersion: svc/v1
kind: Portal
metadata: { name: casa }
spec: { listen: '127.0.0.1:8787', repository: /usr/lib/svc/examples/apps${more} }
---
apiVersion: svc/v1
kind: Server
metadata: { name: casa }
spec: { local: { prefix: casa } }
---
apiVersion: svc/v1
kind: Person
metadata: { name: ana }
spec: { nome: Ana Souza, login: ana, server: casa }
${['notas', 'relogio'].map((id) => `---\napiVersion: svc/v1\nkind: Package\nmetadata: { name: ${id} }\nspec: { app: ${id}, versao: 1.0.0, server: casa }\n`).join('')}`;

/** `curl` as it is, with the cookies of the origin and that origin; `at` in place of the portal. */
const argvOf = (url: string, at: string, words: readonly string[]): readonly string[] => {
  const { host, origin } = new URL(url);
  const headers = ['-H', `Cookie: ${cookie(host)}`, '-H', `Origin: ${origin}`];
  return ['curl', '-sSk', '--max-time', '60', '--connect-to', `::${at}`, ...headers, ...words, url];
};
const curl = async (url: string, at: string, words: readonly string[] = []) => await machine.run(argvOf(url, at, words));
/** Several requests of one curl, in their order: an answer for each. */
async function curls(at: string, requests: readonly (readonly [url: string, words: readonly string[]])[]): Promise<readonly string[]> {
  const end = '\\n==end==\\n';
  const words = requests.flatMap(([url, own]) => {
    const format = own.includes('-w') ? own[own.indexOf('-w') + 1] : '';
    return ['--next', ...argvOf(url, at, own).slice(1), '-w', `${format}${end}`];
  });
  const { out } = await machine.run(['curl', ...words.slice(1)]);
  return out.split('\n==end==\n').slice(0, -1);
}
/** Text of an answer without an end, read until that is in it. */
async function begun(url: string, at: string, words: readonly string[], says: RegExp): Promise<string> {
  // Ends with the command before it: a proxy that is told to end waits for open connections.
  const child = machine.start(['setpriv', '--pdeathsig', 'KILL', '--', ...argvOf(url, at, ['-N', ...words])]);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until('the answer', () => says.test(said) || child.exitCode !== null, 60_000);
  child.kill();
  return said;
}
const status = ['-o', '/dev/null', '-w', '%{http_code}'] as const;

/** Writes the desired state, starts the portal, and resolves to the link that it prints. */
async function startPortal(more: string): Promise<string> {
  await machine.sh('cat >/etc/svc-portal/casa.yaml', { input: yaml(more) });
  const up = 'echo $$ >/tmp/portal.pid; exec /usr/lib/svc/bin/svc up /etc/svc-portal --state /var/lib/svc/state';
  portalProcess = machine.start(['sh', '-c', up], { as: 'svc' });
  let said = '';
  for (const stream of [portalProcess.stdout, portalProcess.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return await until('the printed link', () => {
    if (portalProcess.exitCode !== null) throw new Error(`svc up ended with ${portalProcess.exitCode}:\n${said}`);
    return /https?:\/\/\S+passe=\S+/.exec(said)?.[0];
  });
}

async function signIn(link: string, door: Door): Promise<void> {
  const visitor = createVisitor(machine, door.at);
  cookie = visitor.cookie;
  await visitor.open(link);
  for (const url of [door.app, door.clock]) await until(`a page of ${url}`, async () => (await visitor.open(`${url}/`)).status === 200);
}

beforeAll(async () => {
  const [tree, opened] = await Promise.all([shippedTree(), openStreet()]);
  street = opened;
  machine = await street.machine({ '/usr/lib/svc': tree });
  await machine.sh('useradd --system --home-dir /var/lib/svc --create-home svc; mkdir /etc/svc-portal');
  await machine.sh('echo 127.0.0.1 svc.localhost notas.svc.localhost relogio.svc.localhost >>/etc/hosts');
  await signIn(await startPortal(''), direct);
}, packMsMax);

afterAll(async () => {
  await street?.end();
  tellCount(`journey client programmer: ${Math.round((performance.now() - startMs) / 1_000)} s`);
});

const handshake = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
/** The first line of the answer to a handshake. */
async function shaken(url: string, at: string): Promise<string> {
  const fields = handshake.flatMap((line) => ['-H', line]);
  return (await begun(url, at, ['-i', '--http1.1', ...fields], /^HTTP\/[^\n]*\n/)).split('\r\n')[0] ?? '';
}

/** Holds at the portal itself and through each proxy. */
function trial({ portal, app, clock, at }: Door): void {
  test('curl --http2 is answered, by the portal and by apps', async () => {
    const answers = await curls(at, [
      ...[`${portal}/api/sessao`, `${app}/api/notas`, `${clock}/`].map((url) => [url, ['--http2', ...status]] as const),
      [`${app}/api/notas`, ['--http2', '--json', '{"titulo":"de fora","texto":"olá"}', ...status]],
      [`${app}/api/notas`, ['--http2']],
    ]);
    expect(answers).toEqual(['200', '200', '200', '201', expect.stringContaining('de fora')]);
  });

  test('a file under a name that has to be escaped is put, and read in part', async () => {
    const { casa } = JSON.parse((await curl(`${portal}/api/arquivos`, at)).out) as { casa: string };
    // `a b+c%41&ç.txt`: in an exact path a percent sign is written %25.
    const url = `${portal}/api/arquivos/conteudo?caminho=${encodeURIComponent(`${casa}/a b+c%2541&ç.txt`)}`;
    const put = ['-X', 'PUT', '-H', 'Content-Type: application/octet-stream', '--data-binary', '0123456789'];
    const answers = await curls(at, [
      [url, ['--http2', ...put, ...status]],
      [url, ['--http2', '-r', '2-5', '-w', ' %{http_code}']],
    ]);
    expect(answers).toEqual(['200', '2345 206']);
    expect((await stat(`${machine.root}${casa}/a b+c%41&ç.txt`)).size).toBe(10);
  });

  test('Python reads and writes with what it brings', async () => {
    const script = `
import json, ssl, sys, urllib.request
cookie, origin = sys.argv[1:]
def ask(method, body=None):
    headers = {'Cookie': cookie, 'Origin': origin, 'Content-Type': 'application/json'}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(origin + '/api/notas', data, headers, method=method)
    return urllib.request.urlopen(request, timeout=30, **({'context': ssl._create_unverified_context()} if origin[:5] == 'https' else {}))
print(ask('POST', {'titulo': 'de Python', 'texto': ''}).status)
print([note['titulo'] for note in json.load(ask('GET'))['notas']])
`;
    const { host } = new URL(app);
    const { out } = await machine.run(['python3', '-c', script, cookie(host), app]);
    expect(out).toMatch(/^201\n\[.*'de Python'/);
  });

  test('a change that is to be made of what was read is made once, whatever the answer was compressed with', async () => {
    const url = `${portal}/api/preferencias`;
    // Large enough for every proxy to compress it.
    await curl(url, at, ['-X', 'PATCH', '--json', JSON.stringify({ fixados: Array.from({ length: 200 }, (_, n) => `programa-${n}`) })]);
    for (const [n, coding] of ['identity', 'gzip', 'br', 'zstd', 'deflate, gzip, br, zstd'].entries()) {
      const read = await curl(url, at, ['-D', '-', '-o', '/dev/null', '-H', `Accept-Encoding: ${coding}`]);
      const etag = /^etag: (.+)\r$/im.exec(read.out)?.[1] ?? '';
      const change = ['-X', 'PATCH', '-H', `If-Match: ${etag}`, '--json', JSON.stringify({ pastas: [`/pasta ${n}`] }), ...status];
      const answers = await curls(at, [
        [url, ['-H', `If-None-Match: ${etag}`, ...status]],
        [url, change],
        [url, change],
      ]);
      expect([coding, etag, ...answers]).toEqual([coding, etag, '304', '200', '412']);
    }
  });

  test('an address is as it was typed when it comes to the app', async () => {
    const paths = ['/nada%2Fdentro', '/nada/%41%2e%2E%C3%A7', '/nada//dois?a=%2F&b=+'];
    const answers = await curls(
      at,
      paths.map((path) => [`${app}${path}`, ['--path-as-is', ...status]]),
    );
    expect(answers).toEqual(['404', '404', '404']);
  });

  test('a WebSocket is opened, and an event of a stream comes when it happens', async () => {
    const stream = begun(`${app}/__svc/eventos`, at, ['-H', 'Accept: text/event-stream'], /retry: 2000/);
    const socket = shaken(`${clock}/ws`, at);
    expect(await stream).toContain('retry: 2000');
    expect(await socket).toMatch(/^HTTP\/1.1 101 /);
  });
}

describe('the portal itself', () => {
  trial(direct);

  test('nginx without a line too many: HTTP/1.0 to the portal, no kept connections, answers buffered', async () => {
    await machine.sh('cat >/tmp/nginx.conf; mkdir -p /var/lib/nginx /var/log/nginx; nginx -c /tmp/nginx.conf >/dev/null 2>&1', {
      input: `events {} http { access_log off; server { listen 8080; location / {
        proxy_pass http://127.0.0.1:8787; proxy_set_header Host $host:8787; } } }`,
    });
    const at = '127.0.0.1:8080';
    const body = ['-H', 'Transfer-Encoding: chunked', '--json', '{"titulo":"por nginx","texto":""}', ...status];
    const urls = [`${direct.portal}/api/sessao`, `${direct.app}/api/notas`, `${direct.clock}/`];
    const answers = await curls(at, [...urls.map((url) => [url, ['--http2', ...status]] as const), [`${direct.app}/api/notas`, body]]);
    expect(answers).toEqual(['200', '200', '200', '201']);
  });
});

describe('behind a reverse proxy', () => {
  beforeAll(async () => {
    await machine.sh('kill $(cat /tmp/portal.pid)');
    await until('the portal to end', () => portalProcess.exitCode !== null || portalProcess.signalCode !== null);
    await machine.sh('mkdir /tmp/front; chmod 755 /tmp/front');
    link = await startPortal(`, url: '${front.portal}', trustedProxies: ['127.0.0.1']`);
  });

  let link: string;
  let isSignedIn = false;
  describe.each(fronts)('%s', (name: Front) => {
    let end: () => Promise<void>;
    beforeAll(async () => {
      const place = { folder: '/tmp/front', sh: machine.sh, start: (argv: readonly string[]) => machine.start(argv) };
      end = await openFront(name, place, { host: 'svc.localhost', port: 8443, portal: 8787 });
      if (!isSignedIn) await signIn(link, front);
      isSignedIn = true;
    });
    afterAll(async () => await end?.());

    trial(front);
  });
});
