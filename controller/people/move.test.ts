/**
 * Moves between two folders that stand for the homes of a person on two servers, by the file system of this machine. Over a real sshd, with apps that run:
 * test/ssh/move.real.test.ts.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import type { MoveOrder, ServerActEvent } from '../../schema/gateway.ts';
import type { Intent } from '../../store/store.ts';
import { personMoveFaultPoints, watchFaultPoints } from '../faults.ts';
import { createNodeFileSystem } from '../files/node-file-system.ts';
import type { Host } from '../hosts/host.ts';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import type { Context } from '../context.ts';
import { deathAt, type Death } from '../testing/death.ts';
import type { PersonEntry, ServerEntry } from '../entries.ts';
import { carryOutMove, moveOf } from './move.ts';

let disk: string;
/** Rows of the store: they outlive a portal. */
let rows: Map<string, string>;
let intents: Omit<Intent, 'done'>[];
/** `spec.server` of the document. */
let written: string;

beforeEach(() => {
  disk = mkdtempSync(path.join(tmpdir(), 'svc-move-'));
  [rows, intents, written] = [new Map(), [], 'sirius'];
  for (const name of ['sirius', 'vega']) mkdirSync(home(name));
  live();
});
afterEach(() => {
  watchFaultPoints(null);
  rmSync(disk, { recursive: true });
});

const home = (server: string): string => path.join(disk, server);
const at = (server: string, name: string): string => path.join(home(server), name);
const notes = '.svc-apps/notas/data';
const own = '.local/share/svc-apps';

function put(server: string, name: string, text: string, second: number): void {
  mkdirSync(path.dirname(at(server, name)), { recursive: true });
  writeFileSync(at(server, name), text);
  utimesSync(at(server, name), second, second);
  utimesSync(path.dirname(at(server, name)), second, second);
}

/** The data of an app with a link out of it, secrets, the files of a run, and an app of their own. */
function live(): void {
  put('sirius', `${notes}/carta.txt`, 'querida bia', 1_000);
  chmodSync(at('sirius', `${notes}/carta.txt`), 0o640);
  symlinkSync('/etc/passwd', at('sirius', `${notes}/link`));
  utimesSync(at('sirius', notes), 1_000, 1_000);
  for (const name of ['secrets.json', 'env', 'status.json', 'run.log', 'installed.hash'])
    put('sirius', `.svc-apps/notas/${name}`, name, 1_000);
  put('sirius', `${own}/.versions/relogio/aaaaaaaaaaaa/svc-app.json`, '{}', 1_000);
  symlinkSync('.versions/relogio/aaaaaaaaaaaa', at('sirius', `${own}/relogio`));
}

interface WorldOptions {
  readonly death?: Death;
  readonly person?: Partial<PersonEntry>;
  readonly target?: Partial<ServerEntry>;
  readonly there?: Partial<Host>;
  /** By the cluster that sirius reaches. */
  readonly jobs?: readonly object[];
  /** Nobody writes the document. */
  readonly isUnwritten?: boolean;
  /** None of their apps runs. */
  readonly isIdle?: boolean;
}

/** A portal: it knows nothing but what is on the disks, in the store and in the document. */
function portal({ death, person: more = {}, target = {}, there = {}, jobs = [], isUnwritten = false, isIdle = false }: WorldOptions = {}) {
  const reached = <Asked extends object>(asked: Asked): Asked => death?.reached(asked) ?? asked;
  const serverOf = (name: string, over: Partial<ServerEntry>, host: Partial<Host>): ServerEntry =>
    ({
      name,
      lost: false,
      leaving: false,
      drain: null,
      kit: null,
      reachability: { status: 'reachable', message: '' },
      system: new Map(),
      host: reached({
        ...memoryHost([]),
        place: async () => ({ home: home(name), prefix: '' }),
        files: async () => createNodeFileSystem(),
        ...host,
      }),
      ...over,
    }) as ServerEntry;
  const servers = new Map([
    ['sirius', serverOf('sirius', {}, {})],
    ['vega', serverOf('vega', target, there)],
  ]);
  let runs = written === 'sirius' && !isIdle;
  const asked: string[] = [];
  const link = {
    ensure: async () => undefined,
    look: async () => undefined,
    view: () => ({ status: 'up' }),
    snapshot: (app: string) => (app === 'notas' && runs ? { app, wanted: true, process: null } : null),
    snapshots: () => (runs ? [{ app: 'notas', wanted: true, process: null }] : []),
    ask: async ({ op }: { readonly op: string }) => void asked.push(op),
  };
  const manifest = { id: 'relogio', backend: { runtime: 'node' }, requiredPackages: [] };
  const entryOn = (server: string): PersonEntry =>
    ({
      name: 'ana',
      account: 'ana',
      key: 'Person/ana',
      server: servers.get(server),
      placed: { place: { file: 'gente.yaml', line: 1 } },
      leaving: false,
      waits: false,
      moving: null,
      accountSeen: true,
      backends: new Map([['notas', { app: 'notas', starting: false, key: 'Backend/ana/notas' }]]),
      packages: new Map([['relogio', { scope: 'pessoa', version: '1.0.0', manifest }]]),
      link: reached(link),
      ...more,
    }) as unknown as PersonEntry;
  const people = new Map([['ana', entryOn(written)]]);
  const clusters = new Map([['fila', { placed: { document: { spec: { scheduler: { slurm: { server: 'sirius' } } } } } }]]);
  let clockMs = 1_000_000;
  const ending = new AbortController();
  const context = {
    ending: ending.signal,
    entries: { people, servers, packages: new Map(), clusters, jobs: { live: () => jobs } },
    // Stands for the loop, which stops what a drain says.
    queue: { add: () => void (people.get('ana')?.moving?.drain && (runs = false)) },
    options: {
      dir: disk,
      bus: { enqueue: () => undefined },
      clock: {
        nowMs: () => (clockMs += 1),
        monotonicMs: () => (clockMs += 1),
        at: (_: number, wake: () => void) => {
          clockMs += 1_000;
          setImmediate(wake);
          return () => undefined;
        },
      },
      store: reached({
        value: async (name: string) => rows.get(name) ?? null,
        putValue: async (name: string, value: string) => void rows.set(name, value),
        putIntent: async (intent: Omit<Intent, 'done'>) => void intents.push(intent),
      }),
    },
  } as unknown as Context;
  const events: ServerActEvent[] = [];
  const order = async (over: Partial<MoveOrder> = {}): Promise<string> =>
    await carryOutMove(context, 'ana', { to: 'vega', act: 'move', isPlan: false, ...over }, (event) => {
      events.push(event);
      if (event.event !== 'document' || event.text !== 'now' || isUnwritten) return;
      written = 'vega';
      people.set('ana', entryOn('vega'));
    });
  return { order, events, asked, context, said: () => events.map(({ event, text }) => `${event}: ${text}`) };
}

/** Names below a home with what is in files, and where links lead. */
function treeOf(server: string, top = ''): readonly string[] {
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const name of readdirSync(at(server, folder)).toSorted()) {
      const below = path.join(folder, name);
      const facts = lstatSync(at(server, below));
      const link = facts.isSymbolicLink() ? ` -> ${readlinkSync(at(server, below))}` : '/';
      found.push(below + (facts.isFile() ? ` ${readFileSync(at(server, below), 'utf8')}` : link));
      if (facts.isDirectory()) visit(below);
    }
  };
  visit(top);
  return found;
}

const version = `${own}/.versions/relogio/aaaaaaaaaaaa`;
const moved = [
  '.local/',
  '.local/share/',
  `${own}/`,
  `${own}/.versions/`,
  `${own}/.versions/relogio/`,
  `${version}/`,
  `${version}/svc-app.json {}`,
  `${own}/relogio -> .versions/relogio/aaaaaaaaaaaa`,
  '.svc-apps/',
  '.svc-apps/notas/',
  `${notes}/`,
  `${notes}/carta.txt querida bia`,
  `${notes}/link -> /etc/passwd`,
  '.svc-apps/notas/secrets.json secrets.json',
];
const isThere = (): void => {
  expect(treeOf('vega').filter((name) => !name.startsWith('.svc-apps/.moved'))).toEqual(moved);
};
const isAside = (): void => expect(treeOf('vega', '.svc-apps/.moved').join()).toMatch(/antiga\.txt antiga/);
const fullDisk = { totalBytes: 1e9, freeBytes: 1e6, freeFiles: 9, device: '' };
const packagesOf = (app: string, scope: 'sistema' | 'pessoa', manifest: object) =>
  ({ packages: new Map([[app, { scope, version: '1', manifest }]]) }) as unknown as Partial<PersonEntry>;

test('a plan says what goes, stops and stays, and changes nothing', async () => {
  const before = [treeOf('sirius'), treeOf('vega'), [...rows]];
  const { order, said } = portal();
  expect(await order({ isPlan: true })).toBe('nothing was done');
  expect([treeOf('sirius'), treeOf('vega'), [...rows]]).toEqual(before);
  expect(said().slice(1)).toEqual([
    'plan: Backend/ana/notas is stopped, and started on vega',
    'plan: ~/.svc-apps/notas/data of notas is copied, 1 file, 0.0 MB',
    'plan: ~/.svc-apps/notas/secrets.json of notas is copied, 1 file, 0.0 MB',
    'plan: ~/.local/share/svc-apps/.versions/relogio of relogio is copied, 1 file, 0.0 MB',
    'plan: ~/.local/share/svc-apps/relogio of relogio is copied, 0 files, 0.0 MB, as a link: where it leads stays',
    'plan: Person/ana is on vega instead of sirius',
  ]);
});

test('data, secrets and apps of their own go, with modes and times; what ran is started there, and the old copy stays', async () => {
  execFileSync('mkfifo', [at('sirius', `${notes}/pipe`)]);
  utimesSync(at('sirius', notes), 1_000, 1_000);
  const before = treeOf('sirius', own);
  const { order, said, asked } = portal();
  expect(await order()).toMatch(/ana is on vega; the old copy on sirius stays/);
  isThere();
  expect(treeOf('sirius', own)).toEqual(before);
  const { mode, mtimeMs } = lstatSync(at('vega', `${notes}/carta.txt`));
  expect([mode & 0o777, mtimeMs, lstatSync(at('vega', notes)).mtimeMs]).toEqual([0o640, 1_000_000, 1_000_000]);
  expect(said()).toContainEqual(expect.stringMatching(/left: .*pipe is no plain file/));
  expect([asked, intents.map(({ app, wish, by }) => [app, wish, by])]).toEqual([['quit'], [['notas', 'start', 'admin']]]);
});

test('one home on both servers is not copied, and a file of it is not removed as an old copy', async () => {
  rmSync(home('vega'), { recursive: true });
  symlinkSync(home('sirius'), home('vega'));
  const before = treeOf('sirius');
  const { order, said } = portal();
  expect(await order()).toBe('ana is on vega');
  expect(said()).toContain('step: the home is the same on both servers: nothing is copied');
  expect(treeOf('sirius')).toEqual(before);
  expect(intents).toHaveLength(1);
  await expect(portal().order({ act: 'clean' })).rejects.toThrow(/left a copy/);
});

test('something older where it goes is put aside, and --clean removes that and the old copy', async () => {
  put('vega', `${notes}/antiga.txt`, 'antiga', 500);
  await portal().order();
  isThere();
  isAside();
  put('sirius', 'meu/carta.txt', 'meu', 2_000);
  expect(await portal().order({ act: 'clean', isPlan: true })).toBe('nothing was done');
  const { order } = portal();
  const both = await Promise.allSettled([order({ act: 'clean' }), order({ act: 'clean' })]);
  expect(both).toMatchObject([{ status: 'fulfilled' }, { reason: { message: 'ana is on the way to sirius already' } }]);
  expect([treeOf('sirius').filter((name) => name.includes('svc')), treeOf('sirius', 'meu')]).toEqual([[], ['meu/carta.txt meu']]);
  expect(existsSync(at('vega', '.svc-apps/.moved'))).toBe(false);
  isThere();
  expect(await moveOf({ value: async (name) => rows.get(name) ?? null }, 'ana')).toBeNull();
});

test('what is the same by size and time alone is compared byte by byte', async () => {
  for (const [server, text] of [
    ['sirius', 'nova'],
    ['vega', 'outr'],
  ] as const)
    put(server, '.svc-apps/notas/estado', text, 1_000);
  await portal().order();
  expect(readFileSync(at('vega', '.svc-apps/notas/estado'), 'utf8')).toBe('nova');
});

test('an old copy that was changed since stays', async () => {
  await portal().order();
  put('sirius', `${notes}/carta.txt`, 'depois', 3_000);
  await expect(portal().order({ act: 'clean' })).rejects.toThrow(/changed on sirius since they left: ~\/\.svc-apps\/notas\/data/);
  expect(readFileSync(at('sirius', `${notes}/carta.txt`), 'utf8')).toBe('depois');
});

test('an old copy is not removed where both homes became one since', async () => {
  await portal().order();
  rmSync(home('sirius'), { recursive: true });
  symlinkSync(home('vega'), home('sirius'));
  await expect(portal().order({ act: 'clean' })).rejects.toThrow(/the home of ana is the same on sirius and vega/);
  isThere();
});

test('a document that nobody writes leaves them where they were, and what ran goes on there', async () => {
  await expect(portal({ isUnwritten: true }).order()).rejects.toThrow(/nobody wrote server: vega/);
  expect([written, intents.map(({ app }) => app)]).toEqual(['sirius', ['notas']]);
  // An app that the person stopped since is not started by the next try.
  intents = [];
  await portal({ isIdle: true }).order();
  expect(intents).toEqual([]);
  isThere();
});

describe('is refused in words, and nothing is changed', () => {
  const refusals: readonly (readonly [string, WorldOptions, RegExp, (() => void)?])[] = [
    [
      'a person of a People document',
      { person: { placed: { from: 'People/todos', place: { file: 'g.yaml', line: 3 } } as PersonEntry['placed'] } },
      /People\/todos makes ana a person.*write a document Person\/ana with server: sirius/,
    ],
    ['somebody who leaves', { person: { leaving: true } }, /they leave already/],
    ['somebody who is on the way', { person: { moving: { to: 'lira', drain: null, ends: false } } }, /on the way to lira already/],
    ['a server that is drained', { target: { drain: { server: 'vega', deadlineMs: null } } }, /vega is taken out of use/],
    ['a server that leaves', { target: { leaving: true } }, /it leaves/],
    [
      'a server that does not answer',
      { target: { reachability: { status: 'unreachable', message: 'no route' } } },
      /vega does not answer: no route/,
    ],
    [
      'a server without the account',
      { there: { place: () => Promise.reject(new SvcError('NOT_FOUND', 'vega has no account ana')) } },
      /vega has no account ana/,
    ],
    ['a locked account', { there: { closed: async () => new Map([['ana', 'locked']]) } }, /the account ana on vega is locked/],
    [
      'an app without its package',
      { person: packagesOf('notas', 'sistema', { backend: { runtime: 'node' } }) },
      /notas is not installed on vega: a Package document of notas has to be for vega/,
    ],
    [
      'an app of theirs without its Linux package',
      { there: { inventory: async () => ({ missing: ['ffmpeg'], engines: [], gpu: false }) } },
      /vega lacks the package ffmpeg/,
    ],
    [
      'an app of theirs without its runtime',
      {
        person: packagesOf('relogio', 'pessoa', { backend: { runtime: 'python3' } }),
        there: { run: async () => ({ code: 127, signal: null, said: '' }) },
      },
      /vega has no python3, which runs relogio/,
    ],
    [
      'an app of theirs without its GPU',
      { person: packagesOf('relogio', 'pessoa', { backend: { runtime: 'node' }, recursos: { gpu: { modo: 'necessaria' } } }) },
      /relogio does not run without a GPU/,
    ],
    [
      'somebody whose jobs are under way by the server',
      { jobs: [{ row: { usuario: 'ana', cluster: 'fila', releasedAtMs: 1, outcome: null } }] },
      /jobs of theirs are under way by sirius/,
    ],
    [
      'a full disk',
      {
        there: {
          files: async () => ({ ...createNodeFileSystem(), space: async () => fullDisk }),
        },
      },
      /vega has no room: \d+ MB are needed, and 1 MB free/,
    ],
    [
      'newer files where they go',
      {},
      /~\/\.svc-apps\/notas\/data on vega was changed after/,
      () => put('vega', `${notes}/nova.txt`, 'nova', 2_000),
    ],
  ];
  test.for(refusals)('%s', async ([, options, words, before]) => {
    before?.();
    const trees = [treeOf('sirius'), treeOf('vega')];
    await expect(portal(options).order({ isPlan: true })).rejects.toThrow(words);
    await expect(portal(options).order()).rejects.toThrow(words);
    expect([treeOf('sirius'), treeOf('vega'), written]).toEqual([...trees, 'sirius']);
  });

  test('a server that nobody wrote', async () => {
    await expect(portal().order({ to: 'lira' })).rejects.toThrow('no Server document lira');
  });

  test('a third server, while the old copy on the first one is there', async () => {
    await portal().order();
    const { order, context } = portal();
    context.entries.servers.set('lira', {
      ...(context.entries.servers.get('sirius') as ServerEntry),
      name: 'lira',
    });
    await expect(order({ to: 'lira' })).rejects.toThrow(/their old copy is still on sirius/);
  });
});

test.for(personMoveFaultPoints)('killed at %s the next try ends it', async (point) => {
  put('vega', `${notes}/antiga.txt`, 'antiga', 500);
  const before = treeOf('sirius');
  const death = deathAt(point);
  const dead = portal({ death });
  void dead.order().catch(() => undefined);
  await death.came;
  watchFaultPoints(null);
  expect(treeOf('sirius')).toEqual(before);
  // Their apps were stopped.
  await portal({ isIdle: true }).order();
  isThere();
  isAside();
  expect([written, intents.some(({ app }) => app === 'notas')]).toEqual(['vega', true]);
});
