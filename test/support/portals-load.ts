/**
 * Acts of people while portals come and go behind a balancer: pages, routes and an app are asked for all the time, and somebody writes in a
 * room.
 */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Y from 'yjs';
import { until } from './portal.ts';
import { connect, type RawClient } from './room-client.ts';

export interface LoadPlace {
  /** Port of the balancer. */
  readonly port: number;
  /** Host of the portal's origin, as people type it. */
  readonly host: string;
  /** By host. */
  readonly cookies: ReadonlyMap<string, string>;
  /** A room of `caderno`. */
  readonly room: string;
  /** Between an answer and the next question of the same asker; none when it is not said, which takes all that the processors have. */
  readonly restMs?: number;
}

export interface Load {
  /** Besides the others, from the first time on that it is there: nginx leaves a portal alone for a second after it was away. */
  alsoAsk(path: string): Promise<void>;
  /** Resolves when everything was asked, and something written, since. */
  goesOn(): Promise<void>;
  /** `failed`: how each question ended that was not answered with 200; `written`: the text of the room. */
  end(): Promise<{ readonly failed: readonly string[]; readonly asked: number; readonly written: string }>;
}

const askers = 8;

export function beginLoad({ port, host, cookies, room, restMs = 0 }: LoadPlace): Load {
  const stop = new AbortController();
  const app = `notas.${host}`;
  const targets = ['/', '/shell.js', '/api/sessao', '/api/salas?app=caderno', '/api/preferencias'].map((path) => ({ at: host, path }));
  targets.push({ at: app, path: '/' });
  const failed: string[] = [];
  let [asked, written] = [0, 0];
  const ask = async (which: number): Promise<void> => {
    const agent = new http.Agent({ keepAlive: true });
    for (let n = which; !stop.signal.aborted; n += 1) {
      const { at, path } = targets[n % targets.length]!;
      const status = await get({ port, path, headers: { host: at, cookie: cookies.get(at) ?? '' }, agent });
      asked += 1;
      if (status !== 200) failed.push(`${at}${path}: ${status}`);
      if (restMs > 0) await sleep(restMs);
    }
    agent.destroy();
  };
  const doc = new Y.Doc();
  const write = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const client = await enter({ port, host, cookies, room }, doc).catch(() => null);
      if (client === null) await sleep(50);
      while (client?.ws.readyState === 1 && !stop.signal.aborted) {
        doc.getText('t').insert(0, `${(written += 1)} `);
        await sleep(10);
      }
      if (stop.signal.aborted) return await leave({ port, host, cookies, room }, doc, client);
      client?.end();
    }
  };
  const working = Promise.all([...Array.from({ length: askers }, (_, n) => ask(n)), write()]);
  return {
    alsoAsk: async (path) => {
      const headers = { host, cookie: cookies.get(host) ?? '' };
      await until(path, async () => (await get({ port, path, headers })) === 200);
      targets.push({ at: host, path });
    },
    goesOn: async () => {
      const [before, wroteBefore] = [asked, written];
      await until('the load to go on', () => asked > before + 20 * targets.length && written > wroteBefore + 5);
    },
    end: async () => {
      stop.abort();
      await working;
      return { failed, asked, written: JSON.stringify(doc.getText('t')) };
    },
  };
}

/** Whatever was typed is with somebody else, too. */
async function leave(place: LoadPlace, doc: Y.Doc, last: RawClient | null): Promise<void> {
  await until('the last words', async () => {
    const writer = last?.ws.readyState === 1 ? last : await enter(place, doc).catch(() => null);
    const reader = await enter(place, new Y.Doc()).catch(() => null);
    const isThere = reader !== null && JSON.stringify(reader.doc.getText('t')) === JSON.stringify(doc.getText('t'));
    reader?.end();
    if (isThere) writer?.end();
    return isThere;
  });
}

async function enter({ port, host, cookies, room }: LoadPlace, doc: Y.Doc): Promise<RawClient> {
  const headers = {
    host,
    cookie: cookies.get(host) ?? '',
    origin: `http://${host}`,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
  };
  const answer = await new Promise<string>((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port, method: 'POST', path: `/api/salas/${room}/bilhete?app=caderno`, headers },
      (given) => {
        let text = '';
        given.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        given.on('end', () => resolve(text)).on('error', reject);
      },
    );
    request.on('error', reject);
    request.end('{}');
  });
  const { bilhete, caminho } = JSON.parse(answer) as { readonly bilhete: string; readonly caminho: string };
  const client = connect(`ws://127.0.0.1:${port}${caminho}/documento`, bilhete, { host, doc });
  await client.synced;
  return client;
}

/** The status, or why there was none. */
function get(options: http.RequestOptions): Promise<number | string> {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', ...options }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      answer.on('error', (error) => resolve(error.message));
    });
    request.on('error', (error) => resolve(error.message));
  });
}
