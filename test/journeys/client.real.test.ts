/**
 * Programs of others talk to an app and to the API from outside: curl with its offer of HTTP/2 (which Java's client makes, too), Python, a
 * WebSocket, and nginx before the portal as it comes.
 * @module-tag carries-state
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { openStreet, type Machine, type Street } from './machines.ts';
import { shippedTree } from './shipped-tree.ts';
import { until } from './until.ts';
import { createVisitor } from './visitor.ts';

const portal = 'http://svc.localhost:8787';
const app = 'http://notas.svc.localhost:8787';
const clock = 'http://relogio.svc.localhost:8787';

let street: Street;
let machine: Machine;
let cookie: (host: string) => string;
const startMs = performance.now();

const yaml = `apiVersion: svc/v1
kind: Portal
metadata: { name: casa }
spec: { listen: '127.0.0.1:8787', repository: /usr/lib/svc/examples/apps }
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
const curl = async (url: string, words: readonly string[] = [], at = '127.0.0.1:8787', codes: readonly number[] = [0]) => {
  const { host, origin } = new URL(url);
  const headers = ['-H', `Cookie: ${cookie(host)}`, '-H', `Origin: ${origin}`];
  return await machine.run(['curl', '-sS', '--max-time', '30', '--connect-to', `::${at}`, ...headers, ...words, url], { codes });
};
const status = ['-o', '/dev/null', '-w', '%{http_code}'] as const;

beforeAll(async () => {
  const [tree, opened] = await Promise.all([shippedTree(), openStreet()]);
  street = opened;
  machine = await street.machine({ '/usr/lib/svc': tree });
  await machine.sh('useradd --system --home-dir /var/lib/svc --create-home svc; mkdir /etc/svc-portal; cat >/etc/svc-portal/casa.yaml', {
    input: yaml,
  });
  const child = machine.start(['/usr/lib/svc/bin/svc', 'up', '/etc/svc-portal', '--state', '/var/lib/svc/state'], { as: 'svc' });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const link = await until('the printed link', () => {
    if (child.exitCode !== null) throw new Error(`svc up ended with ${child.exitCode}:\n${said}`);
    return /http:\/\/\S+passe=\S+/.exec(said)?.[0];
  });
  const visitor = createVisitor(machine, '127.0.0.1:8787');
  cookie = visitor.cookie;
  await visitor.open(link);
  for (const url of [app, clock]) await until(`a page of ${url}`, async () => (await visitor.open(`${url}/`)).status === 200);
});

afterAll(async () => {
  await street?.end();
  tellCount(`journey client programmer: ${Math.round((performance.now() - startMs) / 1_000)} s`);
});

test('curl --http2 is answered over HTTP/1.1, by the portal and by apps', async () => {
  for (const url of [`${portal}/api/sessao`, `${app}/api/notas`, `${clock}/`])
    expect([url, (await curl(url, ['--http2', ...status])).out]).toEqual([url, '200']);
  const made = await curl(`${app}/api/notas`, ['--http2', '--json', '{"titulo":"de fora","texto":"olá"}', ...status]);
  expect(made.out).toBe('201');
  expect((await curl(`${app}/api/notas`, ['--http2'])).out).toContain('de fora');
});

test('a file under a name that has to be escaped is put, and read in part', async () => {
  const { casa } = JSON.parse((await curl(`${portal}/api/arquivos`)).out) as { casa: string };
  // `a b+c%41&ç.txt`: in an exact path a percent sign is written %25.
  const url = `${portal}/api/arquivos/conteudo?caminho=${encodeURIComponent(`${casa}/a b+c%2541&ç.txt`)}`;
  const put = await curl(url, [
    '--http2',
    '-X',
    'PUT',
    '-H',
    'Content-Type: application/octet-stream',
    '--data-binary',
    '0123456789',
    ...status,
  ]);
  expect(put.out).toBe('200');
  expect(await machine.run(['find', casa, '-maxdepth', '1', '-name', 'a b+c%41&ç.txt', '-printf', '%s'])).toMatchObject({ out: '10' });
  const part = await curl(url, ['--http2', '-r', '2-5', '-w', ' %{http_code}']);
  expect(part.out).toBe('2345 206');
});

test('Python reads and writes with what it brings', async () => {
  const script = `
import json, sys, urllib.request
cookie, host = sys.argv[1:]
def ask(method, body=None):
    headers = {'Host': host, 'Cookie': cookie, 'Origin': 'http://' + host, 'Content-Type': 'application/json'}
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request('http://127.0.0.1:8787/api/notas', data, headers, method=method), timeout=30)
print(ask('POST', {'titulo': 'de Python', 'texto': ''}).status)
print([note['titulo'] for note in json.load(ask('GET'))['notas']])
`;
  const { host } = new URL(app);
  const { out } = await machine.run(['python3', '-c', script, cookie(host), host]);
  expect(out).toMatch(/^201\n\[.*'de Python'/);
});

const handshake = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
/** The answer to a handshake, until curl gives up on what follows it. */
const shaken = async (at?: string): Promise<string> =>
  (
    await curl(`${clock}/ws`, ['-i', '-N', '--http1.1', '--max-time', '3', ...handshake.flatMap((line) => ['-H', line])], at, [0, 28])
  ).out.split('\r\n')[0] ?? '';

test('a WebSocket is opened', async () => {
  expect(await shaken()).toBe('HTTP/1.1 101 Switching Protocols');
});

test('nginx in front passes on all of it', async () => {
  // As it comes, but for the name: HTTP/1.0 to the portal, no kept connections, answers buffered. The second server is what a WebSocket needs.
  const front = (port: number, more: string) =>
    `server { listen ${port}; location / { proxy_pass http://127.0.0.1:8787; proxy_set_header Host $host:8787; ${more} } }`;
  const sockets = 'proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection;';
  const config = `events {} http { access_log off; ${front(8080, '')} ${front(8081, sockets)} }`;
  await machine.sh('cat >/tmp/nginx.conf; mkdir -p /var/lib/nginx /var/log/nginx; nginx -c /tmp/nginx.conf >/dev/null 2>&1', {
    input: config,
  });
  for (const at of ['127.0.0.1:8080', '127.0.0.1:8081']) {
    for (const url of [`${portal}/api/sessao`, `${app}/api/notas`, `${clock}/`])
      expect([at, url, (await curl(url, ['--http2', ...status], at)).out]).toEqual([at, url, '200']);
    const made = await curl(
      `${app}/api/notas`,
      ['-H', 'Transfer-Encoding: chunked', '--json', '{"titulo":"por nginx","texto":""}', ...status],
      at,
    );
    expect([at, made.out]).toEqual([at, '201']);
  }
  expect(await shaken('127.0.0.1:8081')).toBe('HTTP/1.1 101 Switching Protocols');
});
