/**
 * A person's data in the state folder of a portal, of this build or of an earlier one, and another portal's answers about it: made and read
 * over the same routes, so that the answers of one build are compared with those of the next one.
 */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Y from 'yjs';
import { exampleDesired } from './example-desired.ts';
import { sendTo, signInPage, type PageAnswer } from './page-client.ts';
import { until, type RunningPortal } from './portal.ts';
import { connect } from './room-client.ts';

/** Apps of the desired folder. */
const apps = ['notas', 'caderno', 'moinho'] as const;

export interface UsedState {
  readonly cookie: string;
  readonly rooms: readonly string[];
  /** Answers of the portal, by path. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** By room. */
  readonly texts: Readonly<Record<string, string>>;
}

/** `spec`: of the Portal document, besides the repository and the queue. The server has a place of its own below `folder`. */
export async function writeUsedDesired(folder: string, spec: object): Promise<string> {
  const desired = await exampleDesired(folder, apps);
  await writePortal(folder, spec);
  const documents = [
    `kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: ${join(folder, 'casa')}, trusted: true } }`,
    'kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana Souza, login: ana, server: casa, grupos: [editores] }',
    'kind: Person\nmetadata: { name: bia }\nspec: { nome: Bia Lima, login: bia, server: casa }',
  ];
  await writeFile(join(desired, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  return desired;
}

export async function writePortal(folder: string, spec: object): Promise<void> {
  const all = { repository: join(folder, 'apps'), fila: { clusters: ['aqui'] }, ...spec };
  await writeFile(
    join(folder, 'desired/portal.yaml'),
    `apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: ${JSON.stringify(all)}\n`,
  );
}

/** Signs in, writes in rooms, gives one to somebody, attaches, chooses, gets a notice, and has a job run. */
export async function useAll(portal: RunningPortal): Promise<UsedState> {
  const page = await signInPage(portal.link, portal.port);
  const ask = async (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<PageAnswer> => {
    const answer = await page.call(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString()}`);
    return answer;
  };
  await until('the apps', async () => {
    const [rooms, queue] = [await page.call('GET', '/api/salas?app=caderno'), await page.call('GET', '/api/fila?app=moinho')];
    return rooms.status === 200 && queue.status === 200 && (queue.json() as { disponivel: boolean }).disponivel;
  });
  await ask('PATCH', '/api/preferencias', { tema: 'escuro', fixados: ['caderno'] });
  const made: string[] = [];
  for (const nome of ['Atas', 'Ação'])
    made.push(((await ask('POST', '/api/salas?app=caderno', { nome })).json() as { readonly id: string }).id);
  for (const [n, room] of made.entries()) {
    await write({ port: portal.port, ask }, room, n === 0 ? 40 : 3);
    await ask('PUT', `/api/salas/${room}/anexos?app=caderno`, Buffer.from(`attached to ${n}`), { 'content-type': 'text/plain' });
  }
  await ask('PUT', `/api/salas/${made[0]}/pessoas/bia`, { papel: 'comentar' });
  await ask('POST', '/api/avisos', { app: 'caderno', texto: 'Pronto', rota: 'a' });
  const job = await runJob(ask);
  const attachment = (n: number): string => `/api/salas/${made[n]}/anexos/${sha(`attached to ${n}`)}`;
  const paths = [
    '/api/sessao',
    '/api/preferencias',
    '/api/salas?app=caderno',
    '/api/avisos',
    '/api/fila',
    ...made.map((room) => `/api/salas/${room}`),
    ...made.map((_, n) => attachment(n)),
    ...['', '/registo', '/saida', '/saida/soma.txt'].map((part) => `/api/fila/trabalhos/${job}${part}?app=moinho`),
  ];
  const used = {
    cookie: page.headers['cookie'] ?? '',
    rooms: made,
    answers: Object.fromEntries(paths.map((path) => [path, null])),
    texts: {},
  };
  return { ...used, ...(await readAll(portal.port, used)) };
}

/** The same as before, asked of the portal at a port. */
export async function readAll(port: number, { cookie, rooms, answers }: UsedState): Promise<Pick<UsedState, 'answers' | 'texts'>> {
  const ask = askAs(port, cookie);
  const found: [string, unknown][] = [];
  for (const path of Object.keys(answers)) found.push([path, plain(path, await ask('GET', path))]);
  const texts: [string, string][] = [];
  for (const room of rooms) texts.push([room, await textOf({ port, ask }, room)]);
  return { answers: Object.fromEntries(found), texts: Object.fromEntries(texts) };
}

type Ask = (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<PageAnswer>;

export function askAs(port: number, cookie: string): Ask {
  const host = `svc.localhost:${port}`;
  return async (method, path, body) =>
    await sendTo({
      port,
      method,
      path,
      headers: { host, cookie, origin: `http://${host}`, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

/** Leaves out values that may differ between two builds, two ports or two moments. */
function plain(path: string, { status, body }: PageAnswer): unknown {
  const text = body.toString();
  if (!text.startsWith('{')) return [status, text];
  const said = JSON.parse(text) as Record<string, unknown>;
  if (path === '/api/sessao') return [status, (said as { usuario?: unknown }).usuario];
  if (path === '/api/fila') return [status, withoutPlace(said['trabalhos'])];
  // The names of apps are those of packages, which may not be there again.
  return [status, withoutPlace(said)];
}

const withoutPlace = (said: unknown): unknown =>
  JSON.parse(JSON.stringify(said, (key, value: unknown) => (['appNome', 'expiraEm'].includes(key) ? undefined : value)));

async function enter({ port, ask }: { readonly port: number; readonly ask: Ask }, room: string) {
  const asked = await ask('POST', `/api/salas/${room}/bilhete?app=caderno`, {});
  const { bilhete, caminho } = asked.json() as { readonly bilhete: string; readonly caminho: string };
  const client = connect(`ws://127.0.0.1:${port}${caminho}/documento`, bilhete, { host: `svc.localhost:${port}` });
  await client.synced;
  return client;
}

async function write(at: { readonly port: number; readonly ask: Ask }, room: string, words: number): Promise<void> {
  const client = await enter(at, room);
  for (let n = 0; n < words; n += 1) client.doc.getText('t').insert(0, `palavra ${n} `);
  const other = await enter(at, room);
  const ours = JSON.stringify(client.doc.getText('t'));
  await until('the words', () => JSON.stringify(other.doc.getText('t')) === ours);
  client.end();
  other.end();
}

async function textOf(at: { readonly port: number; readonly ask: Ask }, room: string): Promise<string> {
  const client = await enter(at, room);
  client.end();
  return Y.encodeStateAsUpdate(client.doc).length > 2 ? JSON.stringify(client.doc.getText('t')) : '';
}

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

async function runJob(ask: Ask): Promise<string> {
  const input = Buffer.from('41\n');
  await ask('PUT', `/api/fila/entradas/${sha('41\n')}?app=moinho&desde=0&tamanho=${input.length}`, input);
  const asked = await ask('POST', '/api/fila/trabalhos?app=moinho', {
    chave: 'soma',
    nome: 'soma',
    comando: ['bash', '-c', 'read n <n.txt; echo "got $n"; mkdir -p saida; echo $((n + 1)) >saida/soma.txt'],
    entradas: [{ caminho: 'n.txt', sha: sha('41\n') }],
    limites: { segundos: 60 },
  });
  const { id } = asked.json() as { readonly id: string };
  await until(
    'the job',
    async () => ((await ask('GET', `/api/fila/trabalhos/${id}?app=moinho`)).json() as { terminadoEm: unknown }).terminadoEm,
  );
  return id;
}
