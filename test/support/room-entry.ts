/** How somebody of a test gets into a room as a page does: a link, a session, a ticket, a socket. */
import { request } from 'node:http';
import type * as Y from 'yjs';
import type { RunningPortal } from './portal.ts';
import { connect, type RawClient } from './room-client.ts';

interface Answer {
  readonly status: number;
  readonly cookie: string | undefined;
  readonly body: string;
}

export interface RoomEntry {
  /** As a page of the shell asks; signs in first, and again when the session ended. */
  asPage(person: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** How often anybody signed in. */
  signIns(): number;
  /** Takes a ticket and comes in; rejects when the portal is away. */
  come(person: string, sala: string, doc: Y.Doc): Promise<RawClient>;
}

interface Entered extends Pick<RunningPortal, 'admin'> {
  /** Port of 127.0.0.1. */
  readonly port?: number;
  readonly socketPath?: string;
}

/** The portal may be another process at the next call. */
export function createEntry(portal: () => Entered): RoomEntry {
  const cookies = new Map<string, string>();
  let signIns = 0;
  let host = '';
  const http = (method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> => {
    const payload = body === undefined ? '' : JSON.stringify(body);
    const more = payload === '' ? {} : { 'content-type': 'application/json', 'content-length': String(payload.length) };
    return new Promise((resolve, reject) => {
      const { socketPath, port } = portal();
      const to = socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath };
      const options = { ...to, method, path, headers: { host, ...headers, ...more }, agent: false };
      const call = request({ ...options, timeout: 10_000 }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, cookie: answer.headers['set-cookie']?.[0]?.split(';')[0], body: text }),
        );
        answer.on('error', reject);
      });
      call.on('timeout', () => call.destroy(new Error('no answer within ten seconds')));
      call.on('error', reject);
      call.end(payload);
    });
  };
  const signIn = async (person: string): Promise<string> => {
    const { body } = await portal().admin('POST', '/api/admin/links', { person });
    const link = new URL((body as { link: string }).link);
    ({ host } = link);
    const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
    const { cookie, status } = await http('GET', `${link.pathname}${link.search}`, navigation);
    if (cookie === undefined) throw new Error(`${person} could not sign in: ${status}`);
    cookies.set(person, cookie);
    signIns += 1;
    return cookie;
  };
  const asPage = async (person: string, method: string, path: string, body?: unknown): Promise<Answer> => {
    const ask = async (cookie: string): Promise<Answer> =>
      await http(method, path, { cookie, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }, body);
    const first = await ask(cookies.get(person) ?? (await signIn(person)));
    return first.status === 401 ? await ask(await signIn(person)) : first;
  };
  const come = async (person: string, sala: string, doc: Y.Doc): Promise<RawClient> => {
    const { status, body } = await asPage(person, 'POST', `/api/salas/${sala}/bilhete?app=caderno`, {});
    if (status !== 200 && status !== 201) throw new Error(`no ticket for ${person}: ${status} ${body}`);
    const { bilhete, caminho } = JSON.parse(body) as { bilhete: string; caminho: string };
    const { socketPath, port } = portal();
    const to = socketPath === undefined ? `ws://127.0.0.1:${port}` : `ws+unix:${socketPath}:`;
    const client = connect(`${to}${caminho}/documento`, bilhete, { doc, host });
    await client.synced;
    return client;
  };
  return { asPage, come, signIns: () => signIns };
}
