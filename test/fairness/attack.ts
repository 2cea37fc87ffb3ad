/** Inputs of an attack, and the means that several attacks use. It runs in a process of its own (attacker-main.ts), as the person who attacks. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A row of the table: an attack goes on until the signal fires, and survives whatever the portal answers. */
export interface Attack {
  readonly name: string;
  run(attacker: Attacker): Promise<void>;
}

/** As JSON to the process of the attacker. */
export interface AttackerOrder {
  readonly attack: string;
  readonly seconds: number;
  readonly port: number;
  /** Host of the shell. */
  readonly host: string;
  readonly cookie: string;
  readonly appHost: string;
  readonly appCookie: string;
  /** Person and account: they have one name. */
  readonly person: string;
  readonly home: string;
  /** A room that the attacker may write in. */
  readonly room: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** The answer is begun and never read. */
  readonly isUnread?: boolean;
}

export interface Attacker extends AttackerOrder {
  readonly signal: AbortSignal;
  /** As the page of the attacker; the status, or 0 when the connection broke. */
  readonly ask: (path: string, asked?: Asked) => Promise<number>;
  /** As `ask`, with what is answered; '' when the connection broke. */
  readonly read: (path: string, asked?: Asked) => Promise<string>;
  /** So many at once, each again and again until the end. */
  readonly flood: (atOnce: number, one: (n: number) => Promise<unknown>) => Promise<void>;
}

const refusedPauseMs = 5;

export function createAttacker(order: AttackerOrder): Attacker {
  const signal = AbortSignal.timeout(order.seconds * 1_000);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 512 });
  const own = { host: order.host, cookie: order.cookie, origin: `http://${order.host}`, 'sec-fetch-site': 'same-origin' };
  const request = (path: string, asked: Asked, take: (answer: http.IncomingMessage) => void, broke: () => void): void => {
    const { method = 'GET', headers = {}, body } = asked;
    const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const all = { ...own, ...json, ...length, ...headers };
    const sent = http.request({ host: '127.0.0.1', port: order.port, method, path, headers: all, agent, signal }, (answer) => {
      answer.on('error', broke);
      take(answer);
    });
    sent.on('error', broke);
    sent.end(body);
  };
  const ask: Attacker['ask'] = (path, asked = {}) =>
    new Promise((resolve) =>
      request(
        path,
        asked,
        (answer) => {
          answer.on('close', () => resolve(answer.statusCode ?? 0));
          if (asked.isUnread !== true) answer.resume();
        },
        () => resolve(0),
      ),
    );
  const read: Attacker['read'] = (path, asked = {}) =>
    new Promise((resolve) =>
      request(
        path,
        asked,
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          answer.on('end', () => resolve(text));
        },
        () => resolve(''),
      ),
    );
  return {
    ...order,
    signal,
    ask,
    read,
    flood: async (atOnce, one) => {
      const again = async (n: number): Promise<void> => {
        while (!signal.aborted) {
          await one(n).catch(() => undefined);
          // Refusals at once would only measure the attacker.
          await sleep(refusedPauseMs);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, (_, n) => again(n)));
    },
  };
}

/** Resolves when the attack is over. */
export const theEnd = ({ signal }: Pick<Attacker, 'signal'>): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
