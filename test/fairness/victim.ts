/** The ordinary work of one person, one act after the other, and how long each took. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Y from 'yjs';
import { connect, type RawClient } from '../support/room-client.ts';
import type { FairnessWorld } from './world.ts';

export interface Work {
  /** Times of each act: until it was done, and the work of the portal's loop meanwhile, which does not depend on what else the machine does. */
  readonly ms: readonly number[];
  readonly loopMs: readonly number[];
  readonly errors: readonly string[];
}

export interface Victim {
  workFor(ms: number): Promise<Work>;
  end(): void;
}

/** Between two acts. */
const pauseMs = 10;
const actMsMax = 20_000;

async function enter({ portal, host, victim }: FairnessWorld): Promise<RawClient> {
  const answer = await victim.browser.call('POST', `/api/salas/${victim.room}/bilhete?app=caderno`, {});
  const { bilhete, caminho } = answer.json() as { bilhete: string; caminho: string };
  const client = connect(`ws://127.0.0.1:${portal.port}${caminho}/documento`, bilhete, { doc: new Y.Doc(), host });
  await client.synced;
  return client;
}

export async function createVictim(world: FairnessWorld): Promise<Victim> {
  const { portal, victim, appHost } = world;
  const { browser, home } = victim;
  const [writer, reader] = [await enter(world), await enter(world)];
  const expectOk = ({ status, text }: { readonly status: number; readonly text: string }): void => {
    if (status >= 300) throw new Error(`${status} ${text.slice(0, 200)}`);
  };
  let round = 0;
  const acts: Readonly<Record<string, () => Promise<void>>> = {
    list: async () => expectOk(await browser.call('GET', `/api/arquivos/lista?caminho=${encodeURIComponent(home)}`)),
    save: async () => {
      const headers = { origin: `http://${world.host}`, 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' };
      const path = `/api/arquivos/conteudo?caminho=${encodeURIComponent(`${home}/texto`)}`;
      expectOk(await browser.request(path, { method: 'PUT', headers, body: `texto ${round}` }));
    },
    app: async () => expectOk(await browser.request('/api/ping', { headers: { host: appHost, 'sec-fetch-site': 'same-origin' } })),
    room: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      reader.doc.once('update', () => resolve());
      writer.doc.getMap('m').set('n', (round += 1));
      await promise;
    },
  };
  const loopMs = (): number => Number(readFileSync(`/proc/${portal.pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000;
  const timed = async (name: string): Promise<readonly [number, number]> => {
    const [beganMs, workedMs] = [performance.now(), loopMs()];
    const late = AbortSignal.timeout(actMsMax);
    const tooLate = new Promise<never>((_, reject) => late.addEventListener('abort', () => reject(new Error('no end in 20 s'))));
    await Promise.race([acts[name]!(), tooLate]);
    return [performance.now() - beganMs, loopMs() - workedMs];
  };
  return {
    workFor: async (forMs) => {
      const [ms, ofLoop, errors]: [number[], number[], string[]] = [[], [], []];
      for (const endMs = performance.now() + forMs; performance.now() < endMs;) {
        for (const name of Object.keys(acts)) {
          await timed(name).then(
            ([took, worked]) => void (ms.push(took), ofLoop.push(worked)),
            (error: unknown) => errors.push(`${name}: ${String(error)}`),
          );
          await sleep(pauseMs);
        }
      }
      return { ms, loopMs: ofLoop, errors };
    },
    end: () => {
      writer.end();
      reader.end();
    },
  };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
