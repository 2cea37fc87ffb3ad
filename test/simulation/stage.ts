/** A person with one app, no faults but the scripted ones, for scenarios that read like a table. Times are milliseconds after the sign-in. */
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { ask, closeWindow, openWindow, signIn, signOut, writeDocument } from './people-model.ts';
import { enqueue, killPortal, noticeServer, setLink, startPortal } from './portal-model.ts';
import { end, killSupervisor, notice } from './server-model.ts';
import { createWorld, type AppModel, type Behaviour, type World } from './world.ts';

export interface StageOptions {
  readonly aoFechar?: string;
  readonly kind?: 'app' | 'service';
  readonly behaviour?: Behaviour;
  readonly bootMs?: number;
  readonly setUpMs?: number;
}

export interface Stage {
  readonly world: World;
  readonly app: AppModel;
  /** Lets time pass until `atMs` after the sign-in. */
  until(atMs: number): void;
}

/** Events on the stage, in the words of rules 3.3. */
export const deeds = {
  'start request': ({ world, app }: Stage) => ask(world, app, 'start', 'person'),
  'stop request': ({ world, app }: Stage) => ask(world, app, 'stop', 'person'),
  'restart request': ({ world, app }: Stage) => ask(world, app, 'restart', 'person'),
  'window opens': ({ world, app }: Stage) => openWindow(world, app),
  'window closes': ({ world, app }: Stage) => closeWindow(world, app),
  'process dies': ({ world, app }: Stage) => {
    for (const process of app.processes) end(world, app, process, 'Crashed');
  },
  'other code is installed': ({ world, app }: Stage) => {
    app.installed.hash = 'hash-2';
    notice(world, app);
    enqueue(world, app);
  },
  'installed with --force': ({ world, app }: Stage) => {
    app.installed.hash = 'hash-2';
    for (const process of app.processes) end(world, app, process, 'Crashed');
  },
  'document: ligado': ({ world, app }: Stage) => writeDocument(world, app, 'ligado'),
  'document: desligado': ({ world, app }: Stage) => writeDocument(world, app, 'desligado'),
  'document goes': ({ world, app }: Stage) => writeDocument(world, app, null),
  'portal dies': ({ world }: Stage) => killPortal(world),
  'supervisor dies': ({ world, app }: Stage) => {
    killSupervisor(world, app.person);
    setLink(world, app.person, 'down');
  },
  'server unreachable': ({ world, app }: Stage) => {
    app.person.server.reachable = false;
    noticeServer(world, app.person.server);
  },
  'server back': ({ world, app }: Stage) => {
    app.person.server.reachable = true;
    noticeServer(world, app.person.server);
  },
  'signs out': ({ world, app }: Stage) => signOut(world, app.person),
  'app is well from now on': ({ world }: Stage) => {
    world.script.behaviour = 'healthy';
  },
} as const satisfies Record<string, (stage: Stage) => void>;
type Deed = keyof typeof deeds;

export function createStage(options: StageOptions = {}): Stage {
  const backend = { runtime: 'node', entrypoint: 'backend/main.js', aoFechar: options.aoFechar ?? 'encerrar' } as const;
  const manifest: Manifest = { id: 'notas', version: '1.0.0', kind: options.kind ?? 'app', backend };
  const world = createWorld({ seed: 1, people: 1, appsPerPerson: 1, servers: 1, manifest });
  const [app] = world.apps;
  if (app === undefined) throw new Error('a world without apps');
  Object.assign(world.script, {
    behaviour: options.behaviour ?? 'healthy',
    bootMs: options.bootMs ?? 300,
    setUpMs: options.setUpMs ?? null,
  });
  startPortal(world);
  world.clock.advance(9_000);
  const zeroMs = world.clock.monotonicMs() + 1_000;
  world.clock.advance(1_000);
  // Nobody lives a day here: the person only signs in.
  signIn(world, app.person, { calm: true });
  return {
    world,
    app,
    until: (atMs) => world.clock.advance(zeroMs + atMs - world.clock.monotonicMs()),
  };
}

/** A line of a scenario: at a time something happens, or the app is expected to be shown in a state for a reason. */
type Line = readonly [atMs: number, deed: Deed] | readonly [atMs: number, is: 'is', state: string, reason: string];

type Scenario = readonly [row: string, app: StageOptions, lines: readonly Line[]];

/** Rows of `name  [option=value …]`, each with lines below it that are further in: `1m30s deed; 2m is state reason; …`. */
export function scenariosOf(table: string): readonly Scenario[] {
  return table
    .trim()
    .split(/\n(?! )/)
    .map((text) => {
      const [head = '', ...rest] = text.split('\n');
      const [, row = '', options = ''] = /^(.*?)(?: {2}\[(.*)\])?$/.exec(head) ?? [];
      const lines = rest.join(' ').split(';');
      return [row, optionsOf(options), lines.map((line) => lineOf(line.trim()))];
    });
}

const optionsOf = (words: string): StageOptions =>
  Object.fromEntries(
    words.split(' ').flatMap((word) => {
      const [key = '', value = ''] = word.split('=');
      return key === '' ? [] : [[key, /^\d+$/.test(value) ? Number(value) : value]];
    }),
  );

function lineOf(line: string): Line {
  const [, minutes = '0', seconds = '0', what = ''] = /^(?:(\d+)m)?(?:([\d.]+)s)? (.*)$/.exec(line) ?? [];
  const atMs = Math.round(60_000 * Number(minutes) + 1_000 * Number(seconds));
  const [is, state = '', reason = ''] = what.split(' ');
  if (is === 'is') return [atMs, 'is', state, reason];
  if (!(what in deeds)) throw new Error(`no scenario has the line ${line}`);
  return [atMs, what as Deed];
}

type Shown = readonly [atMs: number, state: string, reason: string];

/** Plays the lines; what was shown and what was expected to be, at the times of the lines `is`. */
export function play(stage: Stage, lines: readonly Line[]): { readonly seen: readonly Shown[]; readonly expected: readonly Shown[] } {
  const seen: Shown[] = [];
  const expected: Shown[] = [];
  for (const line of lines) {
    stage.until(line[0]);
    if (line[1] === 'is') {
      const [atMs, , state, reason] = line;
      expected.push([atMs, state, reason]);
      seen.push([atMs, stage.app.shown?.state ?? 'not shown', stage.app.shown?.reason ?? '']);
    } else deeds[line[1]](stage);
  }
  return { seen, expected };
}
