/**
 * `svc dev DIR`: the app of a folder in a portal of its own, in the real desktop, while it is written. Nothing of launcher, gate, proxy and
 * origins is another one than in `svc up`. Docs: docs/app-authors.md. Decision: docs/decisions/0244-svc-dev.md
 */
import { spawn } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PortalDev } from '../../api/dev/contract.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { chooserOf } from '../../kit/repository/publishing/package-files.ts';
import { withDeadline } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { accountPaths, appPaths } from '../../schema/server-paths.ts';
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import type { DevChange, DevOutcome } from '../../schema/wire/dev.ts';
import { createBackends, type Backends } from './backends.ts';
import { createBoard, type Board } from './board.ts';
import { changeOf, isIgnored, type Change } from './changes.ts';
import { localServer, writeDesired } from './desired.ts';
import { limits } from './limits.ts';
import { followEntries, linkFolder, withFolder } from './linked.ts';
import { appLogLine, followAppLog, followRunLog } from './logs.ts';
import { judgeManifest, type JudgedManifest } from './manifest.ts';
import type { DevOptions } from './options.ts';
import { startDevPortal, type DevPortal } from './portal.ts';
import { endSupervisor } from './supervisors.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import { createTurns } from './turns.ts';
import { watchApp } from './watch.ts';
import { wordsIn, type Say } from './words.ts';

const clock = systemClock;

/** What every part of a run needs. */
interface Session {
  readonly options: DevOptions;
  readonly say: Say;
  readonly board: Board;
  readonly terminal: Terminal;
  readonly app: string;
  readonly portal: DevPortal;
  readonly backends: Backends;
  /** Paths through the links, as the author knows them. */
  readonly own: (text: string) => string;
  readonly inForce: { manifest: Manifest };
}

export async function dev(options: DevOptions, language: TextLanguage): Promise<void> {
  const ended = untilSignal();
  const say = wordsIn(language);
  const ignored = await ignoring(options.folder);
  const first = await firstGood(options, ignored, say, ended);
  if (first === null) return;
  const session = await open(options, first, say, language);
  const stop = new AbortController();
  try {
    await run(session, ignored, stop.signal, ended);
  } finally {
    stop.abort();
    await close(session);
  }
}

async function open(options: DevOptions, manifest: Manifest, say: Say, language: TextLanguage): Promise<Session> {
  const { folder, state, people } = options;
  const app = manifest.id;
  const inForce = { manifest };
  const board = createBoard({ app, folder, mode: 'folder' }, clock);
  const terminal = createTerminal(board, () => clock.nowMs(), people.length > 1);
  await mkdir(path.join(state, 'repository'), { recursive: true, mode: 0o700 });
  await writeDesired(path.join(state, 'desired'), people);
  await linkFolder(systemApps(state), folder, manifest);
  const portal = await startDevPortal({
    state,
    desired: path.join(state, 'desired'),
    listen: options.listen,
    people,
    dev: { app, state: () => board.state(), ...devServerOf(options, () => inForce.manifest) },
    host: withFolder(app, folder),
  });
  board.connect(portal.running.bus, people);
  const backends = createBackends(app, people, portal.running, language);
  const own = (text: string): string => text.replaceAll(`${systemApps(state)}/${app}/`, `${folder}/`);
  return { options, say, board, terminal, app, portal, backends, own, inForce };
}

/** What the backend answers of an app whose pages come from elsewhere: what the portal asks of it, what others ask, and what is named. */
function devServerOf({ frontend, backendPrefixes }: DevOptions, manifest: () => Manifest): Pick<PortalDev, 'frontend'> {
  if (frontend === null) return {};
  const backend = (): readonly string[] => {
    const { healthcheckPath = '/' } = manifest().backend;
    const offered = Object.values(manifest().capacidades ?? {}).map(({ rota }) => rota);
    return ['/api', '/saude', '/close-tabs', ...offered, ...(healthcheckPath === '/' ? [] : [healthcheckPath]), ...backendPrefixes];
  };
  return { frontend: { ...frontend, backend } };
}

async function run(session: Session, ignored: Ignoring, signal: AbortSignal, ended: Promise<unknown>): Promise<void> {
  const { options, terminal, say, portal } = session;
  const turns = createTurns(async (change, overtaken) => {
    await work(session, ignored, change, overtaken).catch((error: unknown) => {
      const { message } = error as Error;
      session.board.last({ ...seen(change, 'failed'), detail: message });
      terminal.event('bad', say('failed', { motivo: message }));
    });
  });
  const watch = watchApp({
    folder: options.folder,
    clock,
    // The dev server reloads its own.
    ignored: (file) => ignored.of(file) || (options.frontend !== null && file.startsWith('frontend/')),
    onChange: (files, sinceMs) => {
      const changed = files.filter((file) => file !== ignoreFile);
      if (changed.length < files.length) void ignored.reread();
      if (changed.length > 0) turns.push(changeOf(changed, sinceMs));
    },
    onError: (error) => terminal.event('bad', say('watchFailed', { motivo: error.message })),
  });
  try {
    await watch.ready;
    await announce(session);
    turns.push({ files: [], manifest: false, backend: true, page: 'no', sinceMs: clock.monotonicMs() });
    void turns.idle().then(() => followLogs(session, signal));
    await Promise.race([ended, portal.running.lost]);
    terminal.note(say('ending'));
  } finally {
    await watch.close();
  }
}

async function announce({ options, terminal, say, inForce: { manifest }, portal }: Session): Promise<void> {
  const links = await portal.links();
  const width = Math.max(...links.map(({ person }) => person.length));
  terminal.note(`svc dev  ${manifest.id} ${manifest.version}  ${options.folder}`, 'good');
  for (const { person, link } of links) terminal.note(`${person.padEnd(width)}  ${link}`);
  if (links.length > 1) terminal.note(say('links'));
  terminal.note(say('rule'));
  const { frontend } = options;
  if (frontend !== null) terminal.note(say('ruleFrontend', { url: `http://${frontend.host}:${frontend.port}` }));
  terminal.note(say('end'));
  if (options.open) openInBrowser(links.map(({ link }) => link));
}

function openInBrowser(links: readonly string[]): void {
  for (const link of links) {
    const child = spawn('xdg-open', [link], { stdio: 'ignore', detached: true });
    // The links stand in the terminal.
    child.on('error', () => undefined);
    child.unref();
  }
}

function followLogs({ options, terminal, app, portal, own }: Session, signal: AbortSignal): void {
  for (const person of options.people) {
    const home = path.join(options.state, localServer, 'home', person);
    const { data } = appPaths({ home, prefix: '' }, app);
    void followRunLog(portal.running.gateway, { person, app, signal }, (text) => terminal.log('run', person, own(text)));
    void followAppLog(path.join(data, 'app.log'), signal, (text) => terminal.log('app', person, appLogLine(text)));
  }
}

async function close({ options, backends, portal }: Session): Promise<void> {
  const late = (): SvcError => new SvcError('TIMEOUT', 'the backends did not end in time');
  await withDeadline(clock, limits.devEndMsMax, backends.stop(), late).catch(() => undefined);
  await portal.running.end();
  // Not before: the portal would start them again.
  for (const person of options.people) await endSupervisor(path.join(options.state, localServer, 'home', person));
}

const systemApps = (state: string): string => {
  const prefix = path.join(state, localServer);
  return accountPaths({ home: prefix, prefix }).systemApps;
};

/** The second signal ends it at once. Who reads what it says is gone: that is an end too, and in order. */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    process.stdout.removeAllListeners('error').on('error', () => resolve('EPIPE'));
    process.stderr.on('error', () => resolve('EPIPE'));
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve(signal);
      });
    }
  });
}
