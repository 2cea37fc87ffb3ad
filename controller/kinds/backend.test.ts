/** The cheap question whether a backend's inputs are the same, against the inputs themselves. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { alive, stopped } from '../../reconcilers/backend-fixtures.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Context } from '../context.ts';
import { packagesInMemory } from '../hosts/testing/memory-host.ts';
import { targetKey } from '../package-entries.ts';
import { backendOf, emptyEntries, type PackageEntry, type BackendEntry, type PersonEntry, type Entries } from '../entries.ts';
import { backendDesired, backendKind, backendObserved } from './backend.ts';
import { sameFields } from './kind.ts';
import { amount } from '../../test/support/amount.ts';

type Mutable<Of> = { -readonly [Name in keyof Of]: Of[Name] };

function worldOfOne() {
  const entries = emptyEntries({ documents: new Map() } as unknown as Parameters<typeof emptyEntries>[0]) as Mutable<Entries>;
  const line = { status: 'up', snapshot: null as ReturnType<typeof alive> | null, error: null as SvcError | null, disk: '' };
  const server = {
    name: 'casa',
    reachability: { status: 'unknown', message: '' },
    services: new Map(),
    removing: new Set(),
    groupsOf: new Map(),
    maximoOf: new Map(),
  };
  const link = {
    view: () => ({ status: line.status, error: line.error, supervisor: line.disk === '' ? null : { disk: line.disk } }),
    snapshot: () => line.snapshot,
  };
  const person = {
    name: 'ana',
    server,
    link,
    placed: { document: { spec: {} } },
    packages: new Map(),
    session: false,
    sessionSinceMs: null,
    removing: new Set(),
    backends: new Map(),
  } as unknown as Mutable<PersonEntry>;
  const entry: BackendEntry = backendOf(entries, person, 'app0', { memory: () => null });
  const context = { entries } as unknown as Context;
  return { entries, line, server, person, entry, context };
}

type One = ReturnType<typeof worldOfOne>;
const [installed] = packagesInMemory(1);
if (installed === undefined) throw new Error('no package');
const shared = { ...installed, manifest: { ...installed.manifest, escopo: 'servidor' as const } };
const wish = { person: 'ana', app: 'app0', wish: 'start', by: 'person', requestId: 'r1', atMs: 1, done: false } as const;
const document = (estado: string, generation: number) =>
  ({ document: { spec: { estado } }, generation }) as unknown as BackendEntry['document'];
const groups = ['editores'];
const inGroup = (group: string) => ({ document: { spec: { grupos: [group] } } }) as unknown as PersonEntry['placed'];
const refusal = { requestId: 'r1', reason: 'InvalidManifest', message: '' } as const;
const wanted = { key: 'Package/app0', leaving: false, wanted: { by: 'document' } } as unknown as PackageEntry;

/** Everything that a decision about it is made of, each with some values. */
const changes: Readonly<Record<string, readonly ((one: One) => void)[]>> = {
  host: [
    ({ server }) => (server.reachability = { status: 'reachable', message: '' }),
    ({ server }) => (server.reachability = { ...server.reachability }),
  ],
  supervisor: [({ line }) => (line.status = 'up'), ({ line }) => (line.status = 'down')],
  trouble: [
    ({ line }) => (line.error = null),
    ({ line }) => (line.error = new SvcError('HOME_MISSING', 'no home')),
    ({ line }) => (line.error = new SvcError('SERVER_UNREACHABLE', 'cut')),
  ],
  disk: [({ line }) => (line.disk = 'ENOSPC'), ({ line }) => (line.disk = '')],
  snapshot: [
    ({ line }) => (line.snapshot = null),
    ({ line }) => (line.snapshot = alive({ app: 'app0' })),
    ({ line }) => (line.snapshot = stopped({ app: 'app0', installed: { version: '1.0.0', hash: 'other', scope: 'sistema' } })),
    ({ line }) => (line.snapshot = stopped({ app: 'app0', installed: null })),
  ],
  package: [
    ({ person }) => (person.packages = new Map()),
    ({ person }) => (person.packages = new Map([['app0', installed]])),
    ({ person }) => (person.packages = new Map([['app0', { ...installed, delivered: null, hash: 'changed' }]])),
    ({ person }) => (person.packages = new Map([['app0', { ...installed, scope: 'pessoa' }]])),
    ({ person }) => (person.packages = new Map([['app0', shared]])),
  ],
  removing: [
    ({ server }) => (server.removing = new Set(['app0'])),
    ({ server }) => (server.removing = new Set()),
    ({ person }) => (person.removing = new Set(['app0'])),
    ({ person }) => (person.removing = new Set()),
  ],
  shutBy: [
    ({ server }) => (server.groupsOf = new Map()),
    ({ server }) => (server.groupsOf = new Map([['app0', groups]])),
    ({ person }) => (person.placed = inGroup('editores')),
    ({ person }) => (person.placed = inGroup('leitores')),
  ],
  maximoMs: [
    ({ server }) => (server.maximoOf = new Map()),
    ({ server }) => (server.maximoOf = new Map([['app0', 60_000]])),
    ({ server }) => (server.maximoOf = new Map([['app0 ana', 120_000]])),
  ],
  packageKey: [
    ({ entries }) => (entries.byTarget = new Map()),
    ({ entries }) => (entries.byTarget = new Map([[targetKey({ server: 'casa', app: 'app0', scope: 'sistema', person: null }), wanted]])),
  ],
  service: [({ server }) => server.services.set('app0', { decision: {} }), ({ server }) => server.services.delete('app0')],
  document: [
    ({ entry }) => (entry.document = null),
    ({ entry }) => (entry.document = document('ligado', 1)),
    ({ entry }) => (entry.document = document('desligado', 1)),
    ({ entry }) => (entry.document = document('ligado', 2)),
  ],
  intent: [
    ({ entry }) => (entry.intent = null),
    ({ entry }) => (entry.intent = wish),
    ({ entry }) => (entry.intent = { ...wish, requestId: 'r2' }),
    ({ entry }) => (entry.intent = { ...wish, done: true }),
  ],
  windows: [
    ({ entry }) => (entry.windows = null),
    ({ entry }) => (entry.windows = { person: 'ana', app: 'app0', open: 1, zeroSinceMs: null }),
  ],
  session: [({ person }) => (person.session = true), ({ person }) => (person.session = false)],
  sessionSinceMs: [({ person }) => (person.sessionSinceMs = 7), ({ person }) => (person.sessionSinceMs = null)],
  probe: [({ entry }) => (entry.probe = null), ({ entry }) => (entry.probe = { pid: 1, attempt: 1, code: 200, byGate: false, atMs: 1 })],
  probing: [({ entry }) => (entry.probing = true), ({ entry }) => (entry.probing = false)],
  refused: [({ entry }) => (entry.refused = null), ({ entry }) => (entry.refused = undefined), ({ entry }) => (entry.refused = refusal)],
};

const inputsOf = ({ entries, entry }: One) => ({ desired: backendDesired(entry, entries), observed: backendObserved(entry), atMs: 0 });

test('it says the same as the inputs, whatever changed since they were made', () => {
  const steps = fc.array(fc.constantFrom(...Object.values(changes).flat()), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(steps, steps, (first, then) => {
      const one = worldOfOne();
      for (const change of first) change(one);
      const before = inputsOf(one);
      for (const change of then) change(one);
      const now = inputsOf(one);
      const isSame = sameFields(before.desired, now.desired) && sameFields(before.observed, now.observed);
      expect(backendKind.sameInputs?.(one.context, one.entry, before)).toBe(isSame);
    }),
    { numRuns: amount(3_000) },
  );
});

test('no field is left out of it', () => {
  const one = worldOfOne();
  const last = inputsOf(one);
  const asks = (changed: Partial<typeof last>) => backendKind.sameInputs?.(one.context, one.entry, { ...last, ...changed });
  expect(asks({})).toBe(true);
  for (const name of Object.keys(last.desired)) expect([name, asks({ desired: { ...last.desired, [name]: {} } })]).toEqual([name, false]);
  for (const name of Object.keys(last.observed))
    expect([name, asks({ observed: { ...last.observed, [name]: {} } })]).toEqual([name, false]);
});

test('what is not installed any more ends with the last wish about it, also when its process ended before', async () => {
  const { entries, person, server, entry } = worldOfOne();
  server.reachability = { status: 'reachable', message: '' };
  Object.assign(person, { accountSeen: true });
  Object.assign(person.link, { snapshots: () => [stopped({ app: 'app0', installed: null })] });
  entry.intent = { ...wish, wish: 'stop' };
  const forgotten: string[] = [];
  const context = {
    entries,
    factory: { memory: () => null },
    recorder: { forget: (key: string) => forgotten.push(key) },
    queue: { add: () => undefined },
    options: { store: { finishIntent: async () => undefined } },
  } as unknown as Context;
  await backendKind.finish?.(context, entry, { decision: { finishedIntent: 'r1' } } as Parameters<
    NonNullable<typeof backendKind.finish>
  >[2]);
  expect([forgotten, [...entries.backends.keys()]]).toEqual([[entry.key], []]);
});
