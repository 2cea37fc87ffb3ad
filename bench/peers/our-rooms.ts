/**
 * Ours as rooms meet it: `svc up`, started by bin/svc, with its controller, 25 people who have Caderno, a session each, and rooms in
 * which their group may write; one more may only read. Rooms are made as a page makes them.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callControlSocket } from '../../test/support/control-socket.ts';
import { repository, until } from '../../test/support/portal.ts';
import type { ServerFacts } from './rooms-access.ts';
import { endPortal } from './end-portal.ts';

/** Each may have several windows. Every one of them is invited to every room. */
const peopleCount = 25;
const viewer = 'leitor';
/** So many are being made. */
const roomsAtOnce = 8;
const app = 'caderno';

export interface StartedRooms {
  readonly child: ChildProcess;
  readonly facts: ServerFacts;
  /** Beside ending the process: its supervisors and its state. */
  clear(): Promise<void>;
}

const personDocument = (name: string, grupo: string): string =>
  `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: Pessoa ${name}, login: ${name}, server: casa, account: ${name}, grupos: [${grupo}] }`;

export const roomPeople: readonly string[] = Array.from({ length: peopleCount }, (_, n) => `u${n}`);

/** `spec`: more of the Portal document. Answers with the folder of the documents. */
export async function writeRoomsDesired(folder: string, spec: object = {}): Promise<string> {
  const desired = join(folder, 'desired');
  await mkdir(desired);
  const portal = JSON.stringify({ repository: join(repository, 'examples/apps'), ...spec });
  const documents = [
    `kind: Portal\nmetadata: { name: casa }\nspec: ${portal}`,
    `kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: ${JSON.stringify(join(folder, 'casa'))}, trusted: true } }`,
    `kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: 1.0.0, server: casa, instalacao: sistema }`,
    ...roomPeople.map((name) => personDocument(name, 'todos')),
    personDocument(viewer, 'leitores'),
  ];
  await writeFile(join(desired, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  return desired;
}

interface Answer {
  readonly status: number;
  readonly cookie: string | undefined;
  readonly text: string;
}

export interface OurRooms {
  readonly port: number;
  readonly rooms: number;
  readonly start: (argv: readonly string[]) => ChildProcess;
}

export async function startOurRooms({ port, rooms, start }: OurRooms): Promise<StartedRooms> {
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  const state = join(folder, 's');
  const desired = await writeRoomsDesired(folder);
  const child = start([join(repository, 'bin/svc'), 'up', desired, '--state', state, '--listen', `127.0.0.1:${port}`]);
  const clear = (): Promise<void> => endPortal(child, folder);
  try {
    await portalListens(child);
    const host = `svc.localhost:${port}`;
    return { child, facts: await furnished({ port, host, control: join(state, 'svc.sock'), count: rooms }), clear };
  } catch (error) {
    await clear();
    throw error;
  }
}

export interface Furnishing {
  readonly port: number;
  readonly host: string;
  readonly control: string;
  /** Number of rooms. */
  readonly count: number;
}

export async function portalListens(child: ChildProcess): Promise<void> {
  let said = '';
  child.stdout!.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-8_192)));
  await until('a portal that listens', () => {
    if (child.exitCode !== null) throw new Error(`svc up ended with ${child.exitCode}: ${said}`);
    return said.includes('open http://');
  });
}

/** Signs everybody in and makes the rooms. */
export async function furnished({ port, host, control, count }: Furnishing): Promise<ServerFacts> {
  const call = (method: string, path: string, more: Readonly<Record<string, string>>, body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { host, ...more, ...(body === '' ? {} : { 'content-type': 'application/json', 'content-length': body.length }) };
      const asked = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, cookie: answer.headers['set-cookie']?.[0]?.split(';')[0], text }));
        answer.on('error', reject);
      });
      asked.on('error', reject).end(body);
    });
  const signIn = async (person: string): Promise<string> => {
    const { body } = await callControlSocket(control, 'POST', '/api/admin/links', { person });
    const { pathname, search } = new URL((body as { readonly link: string }).link);
    const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
    const { cookie, status } = await call('GET', pathname + search, navigation);
    if (cookie === undefined) throw new Error(`no session for ${person}: ${status}`);
    return cookie;
  };
  const asPage = (cookie: string, method: string, path: string, body: object): Promise<Answer> =>
    call(method, path, { cookie, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }, JSON.stringify(body));
  const makeRoom = async (n: number): Promise<string> => {
    const cookie = cookies[n % cookies.length]!;
    // Until the app is installed there is no room of it.
    const made = await until(`room ${n}`, async () => {
      const answer = await asPage(cookie, 'POST', `/api/salas?app=${app}`, { nome: `Sala ${n}`, app });
      return answer.status === 201 ? answer : null;
    });
    const { id } = JSON.parse(made.text) as { readonly id: string };
    for (const [grupo, papel] of [
      ['todos', 'editar'],
      ['leitores', 'ver'],
    ] as const) {
      const { status } = await asPage(cookie, 'PUT', `/api/salas/${id}/grupos/${grupo}?app=${app}`, { papel });
      if (status >= 300) throw new Error(`room ${n} was not given to ${grupo}: ${status}`);
    }
    return id;
  };
  const cookies: string[] = [];
  for (const person of roomPeople) cookies.push(await signIn(person));
  const rooms: string[] = [];
  const waiting = Array.from({ length: count }, (_, n) => n).values();
  const make = async (): Promise<void> => {
    for (const n of waiting) rooms[n] = await makeRoom(n);
  };
  await Promise.all(Array.from({ length: roomsAtOnce }, make));
  return { port, dialect: 'y-websocket', path: null, portal: { host, rooms, cookies, viewerCookie: await signIn(viewer) } };
}
