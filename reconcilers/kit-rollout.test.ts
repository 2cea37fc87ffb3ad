/** A new kit over a model site of servers, where attempts take their time, fail, and portals are replaced in between. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { turnOf, type RolloutServer } from './kit-rollout.ts';
import { decideServer, kitAim, type ServerMemory } from './server.ts';
import { amount } from '../test/support/amount.ts';

const wanted = '2.0.0-bbbbbbbb';
const before = '1.0.0-aaaaaaaa';

interface ModelServer {
  readonly name: string;
  readonly apps: number;
  /** Attempts there fail before that second. */
  readonly mendedAtS: number;
  kit: string;
  memory: ServerMemory | null;
  /** Facts that the running portal knows beside the server's state. */
  busyUntilS: number | null;
  failure: string | null;
}

const asSeen = ({ name, apps, kit, memory, busyUntilS, failure: now }: ModelServer): RolloutServer => {
  const isTried = memory?.attempted === kitAim(name, wanted);
  const failure = now ?? memory?.failure ?? null;
  return {
    name,
    wanted,
    kit,
    runs: true,
    isHeld: false,
    isOpen: true,
    failure,
    apps,
    trouble: null,
    attempts: isTried ? memory.attempts : 0,
    nextAttemptAtMs: isTried ? memory.nextAttemptAtMs : 0,
    isBusy: busyUntilS !== null,
    placedAtMs: memory?.placedAtMs ?? null,
  };
};

/** Observes a server once as the portal does; answers whether a kit was ordered. */
function look(server: ModelServer, all: readonly ModelServer[], nowS: number): boolean {
  const seen = all.map(asSeen);
  const self = seen.find(({ name }) => name === server.name)!;
  const { actions, memory } = decideServer(
    {
      name: server.name,
      generation: 1,
      leaving: false,
      lost: false,
      kit: { id: wanted, removed: false, held: null, pending: null, origins: 'subdomain' },
    },
    {
      host: { status: 'reachable', message: '' },
      occupied: true,
      kit: { status: 'seen', id: server.kit, origins: 'subdomain', key: true, accounts: [], rival: null },
      busy: server.busyUntilS === null ? null : { act: 'kit', message: 'upload' },
      failure: server.failure === null ? null : { message: server.failure, retry: 'waiting', atMs: 0 },
      turn: turnOf(self, seen, nowS * 1_000),
    },
    server.memory,
    nowS * 1_000,
  );
  server.memory = memory;
  return actions.some(({ kind }) => kind === 'server/kit');
}

const site = fc.array(
  fc.record({
    apps: fc.integer({ min: 0, max: 3 }),
    mendedAtS: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 600 }) }),
    tookS: fc.integer({ min: 1, max: 20 }),
  }),
  { minLength: 1, maxLength: 8 },
);

test('a new kit goes to one server first, to three at once then, to none more while one failed, and to all in the end', () => {
  fc.assert(
    fc.property(site, fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 4 }), (rows, restartsS) => {
      const servers = rows.map(({ apps, mendedAtS }, n): ModelServer => ({
        name: `s${n}`,
        apps,
        mendedAtS,
        kit: before,
        memory: null,
        busyUntilS: null,
        failure: null,
      }));
      const begun = new Set<string>();
      const failedNow = new Set<string>();
      let provenAtS = Infinity;
      let first: ModelServer | null = null;
      for (let nowS = 0; nowS < 2_000; nowS += 1) {
        // Another portal: what was under way is cut off, what failed is not known to it.
        if (restartsS.includes(nowS)) for (const server of servers) Object.assign(server, { busyUntilS: null, failure: null });
        for (const [n, server] of servers.entries()) {
          if (server.busyUntilS !== null && nowS >= server.busyUntilS) {
            server.busyUntilS = null;
            const isMended = nowS >= server.mendedAtS;
            if (isMended) {
              server.kit = wanted;
              provenAtS = Math.min(provenAtS, nowS + 30);
            }
            server.failure = isMended ? null : 'Node does not start';
            failedNow[isMended ? 'delete' : 'add'](server.name);
          }
          if (!look(server, servers, nowS)) continue;
          // Nobody new while one failed.
          expect(begun.has(server.name) || failedNow.size === 0).toBe(true);
          first ??= server;
          begun.add(server.name);
          server.busyUntilS = nowS + rows[n]!.tookS;
          const apart = servers.filter(({ kit, name }) => kit !== wanted && begun.has(name));
          expect(apart.length).toBeLessThanOrEqual(nowS < provenAtS ? 1 : 3);
        }
      }
      expect(servers.filter(({ kit }) => kit !== wanted)).toEqual([]);
      expect(first).toBe(servers.toSorted((one, other) => one.apps - other.apps || one.name.localeCompare(other.name))[0]);
    }),
    { numRuns: amount(30) },
  );
});

const row = (name: string, over: Partial<RolloutServer> = {}): RolloutServer => ({
  name,
  wanted,
  kit: before,
  runs: true,
  isHeld: false,
  isOpen: true,
  attempts: 0,
  nextAttemptAtMs: 0,
  isBusy: false,
  failure: null,
  placedAtMs: null,
  trouble: null,
  apps: 1,
  ...over,
});
const nowMs = 1_000_000;
const placed = { kit: wanted, placedAtMs: nowMs - 60_000 };

describe('whether vega gets the new kit while polar', () => {
  test.for([
    ['has fewer apps', { apps: 0 }, 'waits', 'it follows once polar runs well with it'],
    ['has more apps', { apps: 2 }, 'due', ''],
    ['has it since a moment', { kit: wanted, placedAtMs: nowMs - 29_000 }, 'waits', 'it follows once polar runs well with it'],
    ['has it and is well', placed, 'due', ''],
    [
      'has it and lost a supervisor a moment ago',
      { ...placed, trouble: { message: 'Supervisor/ana is starting', sinceMs: nowMs - 1_000 } },
      'waits',
      'once polar runs well',
    ],
    [
      'has it and lost a supervisor for good',
      { ...placed, trouble: { message: 'Supervisor/ana is backoff: no room', sinceMs: nowMs - 30_000 } },
      'stopped',
      `with it on polar Supervisor/ana is backoff: no room; mend it there, then svc server add polar; svc server add vega takes it here all the same`,
    ],
    ['has one whose commands do not run', { kit: wanted, runs: false }, 'stopped', 'it does not run on polar'],
    ['refused it', { attempts: 1, failure: 'no room' }, 'stopped', 'it failed on polar: no room; mend it there'],
    ['refused it, as another portal saw', { attempts: 2 }, 'stopped', 'failed on polar'],
    ['does not answer since it was begun', { attempts: 2, kit: null, isOpen: false }, 'stopped', 'it does not answer since'],
    ['went back from it', { isHeld: true, kit: before }, 'stopped', 'polar went back from'],
    ['does not answer', { kit: null, isOpen: false, apps: 0 }, 'due', ''],
    ['never had a kit and takes none', { kit: null, attempts: 3, failure: 'lacks tar', apps: 0 }, 'due', ''],
    ['had its kit taken off', { wanted: null, apps: 0 }, 'due', ''],
    ['is of another processor', { wanted: '2.0.0-cccccccc', apps: 0 }, 'due', ''],
  ] as const)('%s', ([, polar, is, message]) => {
    const vega = row('vega');
    const turn = turnOf(vega, [vega, row('polar', polar)], nowMs);
    expect([turn.is, 'message' in turn ? turn.message : '']).toEqual([is, expect.stringContaining(message)]);
    // An attempt that was begun does not wait, and neither does an administrator's.
    expect(turnOf({ ...vega, attempts: 1 }, [vega, row('polar', polar)], nowMs).is).toBe('due');
  });
});
