/** Memory of an earlier run is used when it has the right shape, and dropped otherwise. */
import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alive, answering, desired } from './backend-fixtures.ts';
import { backendMemory } from './backend-memory.ts';
import { decideGrant } from './grant.ts';
import { decidePackage } from './package.ts';
import { fields, flag, number, orNull, readMemory, remember, text, type MemoryShape } from './memory.ts';
import { packageMemory } from './package-memory.ts';
import { decidePerson, personMemory } from './person.ts';
import { decidePortal, portalMemory } from './portal.ts';
import { decideServer, serverMemory } from './server.ts';
import { decideSupervisor, supervisorMemory } from './supervisor-process.ts';
import { decideEngine, engineMemory } from './engine.ts';
import { decideService, serviceMemory } from './service.ts';
import { grantMemory } from './grant.ts';

const host = { status: 'reachable', message: '' } as const;
const target = { name: 'notas', leaving: false, cancels: false, server: 'casa', app: 'notas', scope: 'sistema', person: null } as const;
/** Every field holds something. */
const full = {
  ...answering(desired(), alive()),
  sent: { op: 'start', cause: 'intent', requestId: 'r1', atMs: 1 },
  autostartedFor: 1,
  startedAtMs: 2,
  failedHash: 'h',
};
const made: readonly (readonly [string, MemoryShape<unknown>, unknown])[] = [
  ['Backend', backendMemory, answering(desired(), alive())],
  ['Backend that was ordered', backendMemory, full],
  [
    'Package',
    packageMemory,
    decidePackage(
      {
        ...target,
        name: 'notas',
        leaving: false,
        version: '1.0.0',
        generation: 1,
        requestId: null,
        cancels: false,
        paused: false,
        rollback: null,
      },
      {
        host,
        targetObserved: true,
        isOthers: false,
        overruled: null,
        installed: { version: '0.9.0', hash: 'a', drift: true, previous: '0.8.0' },
        offer: { mark: 'b' },
        offered: ['1.0.0'],
        problem: null,
        refusedThere: null,
        refusal: null,
        living: 1,
        answered: false,
        busy: null,
        failure: null,
      },
      null,
      5,
    ).memory,
  ],
  [
    'Person',
    personMemory,
    decidePerson(
      { name: 'ana', server: 'casa', generation: 1, leaving: false, session: true, everSignedIn: true },
      { host, account: true, closed: null, lasts: true, left: null },
      null,
      5,
    ).memory,
  ],
  [
    'Supervisor',
    supervisorMemory,
    decideSupervisor(
      { person: 'ana', leaving: false, session: true, everSignedIn: true, wished: false, wanted: false },
      { host, status: 'down', message: '' },
      null,
      5,
    ).memory,
  ],
  [
    'Server',
    serverMemory,
    decideServer(
      { name: 'casa', generation: 1, leaving: false, lost: false, kit: null },
      { host, occupied: false, kit: { status: 'unknown', message: '' }, busy: null, failure: null },
      null,
      5,
    ).memory,
  ],
  [
    'Service',
    serviceMemory,
    decideService({ server: 'casa', app: 'sino', scopes: '' }, { host, probe: { code: 0, atMs: 4 }, credential: null }, null, 5).memory,
  ],
  [
    'Engine',
    engineMemory,
    decideEngine(
      { server: 'casa', app: 'notas', nome: 'm', versao: '1', declared: true, appInstalled: true, paused: false, leaving: false },
      { host, present: false, busy: null, failure: null },
      null,
      5,
    ).memory,
  ],
  [
    'Grant',
    grantMemory,
    decideGrant(
      { name: 'g', generation: 1, spec: null },
      { room: null, others: [], people: new Set(), groups: new Set(), appKnown: true, refused: null },
      null,
      5,
    ).memory,
  ],
  ['Portal', portalMemory, decidePortal({ generation: 1 }, { errors: [], held: [], why: null, waiting: [] }, null, 5).memory],
];

describe.for(made)('the memory of %s', ([, shape, memory]) => {
  const stored = (version: number, value: unknown): unknown => JSON.parse(JSON.stringify({ version, value }));

  test('comes back from the store as it was', () => {
    expect(readMemory(shape, stored(shape.version, memory))).toEqual(memory);
  });

  test('that has no version yet is the first shape', () => {
    const read = readMemory<unknown>({ ...shape, version: 1 }, JSON.parse(JSON.stringify(memory)));
    expect(read).toEqual(memory);
  });

  test('of a newer portal, or of one that is too old, is dropped', () => {
    expect(readMemory(shape, stored(shape.version + 1, memory))).toBeNull();
    expect(readMemory(shape, stored(0, memory))).toBeNull();
  });

  test('with a field that lacks, is another thing or is unknown is dropped', () => {
    const whole = memory as Readonly<Record<string, unknown>>;
    const isTaken = (value: object): boolean => readMemory(shape, stored(shape.version, value)) !== null;
    const taken = Object.keys(whole).filter((name) => {
      const { [name]: _, ...rest } = whole;
      return isTaken(rest) || isTaken({ ...whole, [name]: [[]] });
    });
    expect([taken, isTaken({ ...whole, unknown: 1 }), isTaken(whole)]).toEqual([[], false, true]);
  });

  test('is never misread: whatever the store holds, it is taken as it is or dropped', () => {
    assert(
      property(jsonValue(), (value) => {
        const read = readMemory(shape, { version: shape.version, value });
        expect([null, value]).toContainEqual(read);
      }),
    );
  });
});

test('a shape may say how an earlier version is brought up to date', () => {
  interface Old {
    readonly tries: number;
  }
  const old = fields<Old>({ tries: number });
  const shape: MemoryShape<{ readonly attempts: number; readonly last: string | null }> = {
    version: 3,
    read: fields({ attempts: number, last: orNull(text) }),
    older: { 2: (value) => ({ attempts: old(value).tries, last: null }) },
  };
  expect(readMemory(shape, { version: 2, value: { tries: 4 } })).toEqual({ attempts: 4, last: null });
  expect(readMemory(shape, { version: 2, value: { tries: '4' } })).toBeNull();
  expect(readMemory(shape, { version: 1, value: { tries: 4 } })).toBeNull();
  expect(readMemory(shape, null)).toBeNull();
  const before = { since: {}, attempts: 2, nextAttemptAtMs: 7, attempted: 'x', busy: false };
  expect(readMemory(serverMemory, { version: 1, value: before })).toEqual({ ...before, placedAtMs: null, failure: null });
});

test.for([
  ['state', ['stopped', 'starting', 'running', 'stopping', 'backoff', 'failed', 'unknown'], (state: string) => ({ ...full, state })],
  [
    'last state',
    ['stopped', 'starting', 'running', 'stopping', 'backoff', 'failed'],
    (state: string) => ({ ...full, context: { ...full.context, last: { state, reason: 'Healthy' } } }),
  ],
  [
    'sight',
    ['sawStopped', 'sawComing', 'sawLiving', 'sawEnding', 'sawBackoff', 'sawFailed', 'sawNothing', 'sightLost', 'supervisorEnded'],
    (saw: string) => ({ ...full, context: { ...full.context, saw } }),
  ],
  ['start', ['probing', 'slow', 'ready'], (value: string) => ({ ...full, start: { ...full.start, value } })],
  ['order', ['start', 'stop', 'pin'], (op: string) => ({ ...full, sent: { ...full.sent, op } })],
  [
    'cause',
    ['intent', 'ligado', 'desligado', 'service', 'windows', 'uninstalled', 'shut', 'drained', 'maximo', 'mended', 'rewritten'],
    (cause: string) => ({ ...full, sent: { ...full.sent, cause } }),
  ],
  ['condition', ['True', 'False', 'Unknown'], (status: string) => ({ ...full, since: { Ready: [status, 1] } })],
] as const)('every %s of a backend is read back, and no other', ([, words, having]) => {
  const read = (value: unknown) => readMemory(backendMemory, { version: 2, value });
  for (const word of words) expect(read(having(word))).toEqual(having(word));
  for (const word of ['', 'other', 'toString']) expect(read(having(word))).toBeNull();
});

test.for([
  ['lacks a field deep inside', { ...full, start: { ...full.start, context: {} } }],
  ['has a field too many deep inside', { ...full, sent: { ...full.sent, other: 1 } }],
  ['has a list for an object', { ...full, sent: [] }],
  ['has no object where one belongs', { ...full, context: null }],
  ['has no conditions', { ...full, since: null }],
  ['has conditions in a list', { ...full, since: [] }],
  ['has a condition without a time', { ...full, since: { Ready: ['True'] } }],
  ['has a condition with more than a time', { ...full, since: { Ready: ['True', 1, 2] } }],
  ['has a condition that is no list', { ...full, since: { Ready: { 0: 'True', 1: 1, length: 2 } } }],
  ['has a condition of another name', { ...full, since: { Other: ['True', 1] } }],
] as const)('a memory that %s is dropped', ([, value]) => {
  expect(readMemory(backendMemory, { version: 1, value })).toBeNull();
});

test('what is no memory at all is none', () => {
  const shape: MemoryShape<{ readonly value: number }> = { version: 1, read: fields({ value: number }) };
  const values = [undefined, null, 1, 'x', true, [], { version: 1, value: null }, { version: '1', value: { value: 1 } }, { version: 2 }];
  for (const kept of values) expect(readMemory(shape, kept)).toBeNull();
  // Without a version: the first shape, whatever its fields are called.
  expect(readMemory(shape, { value: 1 })).toEqual({ value: 1 });
  const versioned: MemoryShape<object> = { version: 1, read: fields({ version: number, value: number, on: flag }) };
  expect(readMemory(versioned, { version: 1, value: 2, on: true })).toEqual({ version: 1, value: 2, on: true });
  const named: MemoryShape<object> = { version: 1, read: fields({ version: number, other: text }) };
  expect(readMemory(named, { version: 1, other: 'x' })).toEqual({ version: 1, other: 'x' });
});

test('a fault of a reader itself is no misfit', () => {
  const shape: MemoryShape<object> = {
    version: 1,
    read: () => {
      throw new TypeError('a defect');
    },
  };
  expect(() => readMemory(shape, { version: 1, value: {} })).toThrow('a defect');
});

test('the very same memory stays as long as every field is the same', () => {
  const before = { one: 1, two: null, three: before3 };
  expect(remember(before, { ...before })).toBe(before);
  expect(remember(before, { ...before, three: {} })).toEqual(before);
  expect(remember(before, { ...before, three: {} })).not.toBe(before);
  expect(remember<object>(null, before)).toBe(before);
});
const before3 = {};
