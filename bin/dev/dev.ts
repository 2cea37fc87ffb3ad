/**
 * `svc dev DIR`: the app of a folder in a portal of its own, in the real desktop, while it is written. Nothing of launcher, gate, proxy and
 * origins is another one than in `svc up`. Docs: docs/author-tools.md. Decision: docs/decisions/0244-svc-dev.md
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { PortalDev } from '../../api/dev/contract.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { withDeadline } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { healthPath, type Manifest } from '../../schema/manifest/manifest.ts';
import { appPaths } from '../../schema/server-paths.ts';
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import { createBackends } from './backends.ts';
import { createBoard } from './board.ts';
import { createBuilder } from './builder.ts';
import { changeOf, sourceOf } from './changes.ts';
import { linkedDelivery } from './delivery.ts';
import { localServer, writeDesired, writePortal, writeServerDesired } from './desired.ts';
import { firstGood, ignoreFile, ignoring, type Ignoring } from './first-good.ts';
import { buildLine } from './left-out.ts';
import { limits } from './limits.ts';
import { hasPage, onEnter } from './links.ts';
import { appLogLines, followAppLog, followRunLog } from './logs.ts';
import { createReadable, readable } from './mistake.ts';
import type { DevOptions } from './options.ts';
import { packedDelivery } from './packed.ts';
import { startDevPortal } from './portal.ts';
import type { Session } from './session.ts';
import { untilSignal } from './signals.ts';
import { endSupervisor, killApp } from './supervisors.ts';
import { keepFolder } from './running.ts';
import { createTerminal, filesOf } from './terminal.ts';
import { createTurns } from './turns.ts';
import { watchApp, watchesLine } from './watch.ts';
import { wordsIn, type Say } from './words.ts';
import { work } from './work.ts';

const clock = systemClock;

export async function dev(options: DevOptions, language: TextLanguage): Promise<void> {
  let endNow = (): void => undefined;
  const ended = untilSignal({ signals: process, nowMs: () => clock.monotonicMs(), endNow: () => endNow(), leave: () => process.exit(1) });
  const say = wordsIn(language);
  const ignored = await ignoring(options.folder);
  const first = await firstGood(options.folder, ignored, say, ended);
  if (first === null) return;
  const session = await open(options, first, say, language);
  endNow = () => killBackends(session);
  const stop = new AbortController();
  try {
    await run(session, ignored, stop.signal, ended);
  } finally {
    stop.abort();
    await close(session);
  }
}

async function open(options: DevOptions, first: Manifest, say: Say, language: TextLanguage): Promise<Session> {
  const { folder, state, server } = options;
  const app = first.id;
  const desired = path.join(state, 'desired');
  const people = server === null ? options.people : await writeServerDesired(desired, server, options.people);
  if (server === null) await writeDesired(desired, people);
  if (!options.packed) writePortal(desired, localServer, null);
  const where = { app, folder, state, person: people[0] ?? '', first };
  const delivery = options.packed
    ? packedDelivery({
        ...where,
        mode: server === null ? 'packed' : 'server',
        server: server?.name ?? localServer,
        desired,
        nowMs: () => clock.nowMs(),
      })
    : linkedDelivery(where);
  await delivery.prepare();
  const board = createBoard({ app, folder, mode: delivery.mode }, clock);
  const terminal = createTerminal(board, () => clock.nowMs(), people.length > 1, language);
  const portal = await startDevPortal({
    state,
    desired,
    listen: options.listen,
    people,
    dev: { app, state: () => board.state(), ...devServerOf(options, () => delivery.manifest()) },
    host: delivery.host,
    hasPage: () => options.frontend !== null || hasPage(delivery.manifest(), folder),
  }).catch((error: unknown) => {
    if (!(error instanceof SvcError) || error.code !== 'STATE_IN_USE') throw error;
    throw new SvcError('STATE_IN_USE', say('alreadyRuns', { pid: /\(pid \d+\)/.exec(error.message)?.[0] ?? '' }));
  });
  keepFolder(state, folder);
  board.connect(portal.running.bus, people);
  const backends = createBackends(app, people, portal.running, { language, folder, own: (text) => delivery.own(text) });
  return {
    options,
    people,
    say,
    board,
    terminal,
    app,
    portal,
    backends,
    delivery,
    builder: createBuilder(folder, clock),
    late: { wait: new AbortController() },
  };
}

/** Lists the paths that the backend answers beside a dev server of pages: asked by the portal, by other apps, or named by options. */
function devServerOf({ frontend, backendPrefixes }: DevOptions, manifest: () => Manifest): Pick<PortalDev, 'frontend'> {
  if (frontend === null) return {};
  const backend = (): readonly string[] => {
    const asked = healthPath(manifest().backend);
    const offered = Object.values(manifest().capacidades ?? {}).map(({ rota }) => rota);
    return ['/api', '/saude', '/close-tabs', ...offered, ...(asked === '/' ? [] : [asked]), ...backendPrefixes];
  };
  return { frontend: { ...frontend, backend } };
}

async function run(session: Session, ignored: Ignoring, signal: AbortSignal, ended: Promise<unknown>): Promise<void> {
  const { options, terminal, say, portal } = session;
  const turns = createTurns((change, overtaken) => work(session, ignored, change, overtaken));
  const watch = watchApp({
    folder: options.folder,
    clock,
    // The dev server reloads its own.
    ignored: (file) => ignored.isUnwatched(file) || (options.frontend !== null && file.startsWith('frontend/')),
    onChange: (files, sinceMs) => {
      const changed = files.filter((file) => file !== ignoreFile);
      if (changed.length < files.length) void ignored.reread();
      const source = changed.filter((file) => ignored.isSource(file));
      const shipped = changed.filter((file) => !ignored.isSource(file) && !ignored.of(file));
      if (source.length > 0) turns.push(sourceOf(source, sinceMs));
      if (shipped.length > 0) turns.push(changeOf(shipped, sinceMs));
    },
    onError: (error) => terminal.event('bad', say('watchFailed', { motivo: error.message })),
    onPolling: (codigo) => terminal.note(say('polling', { codigo, ms: limits.pollMs, linha: watchesLine(codigo) }), 'busy'),
  });
  const stopAsking = onEnter(() => void showLinks(session));
  try {
    await watch.ready;
    await announce(session, ignored);
    turns.push({ files: [], source: false, manifest: false, backend: true, page: 'no', sinceMs: clock.monotonicMs() });
    void turns.idle().then(() => followLogs(session, signal));
    await Promise.race([ended, portal.running.lost]);
    terminal.note(say('ending'));
  } finally {
    turns.stop();
    session.late.wait.abort();
    stopAsking();
    await watch.close();
  }
}

async function announce(session: Session, ignored: Ignoring): Promise<void> {
  const { options, terminal, say, delivery, builder } = session;
  const manifest = delivery.manifest();
  terminal.note(`svc dev  ${manifest.id} ${manifest.version}  ${options.folder}`, 'good');
  const links = await showLinks(session);
  terminal.note(say(process.stdin.isTTY ? 'linksEnter' : links.length > 1 ? 'links' : 'link'));
  if (options.frontend === null && !hasPage(manifest, options.folder))
    terminal.note(say('noPage', { nomes: Object.keys(manifest.capacidades ?? {}).join(', ') }));
  terminal.note(say(ruleOf(delivery.isLive, options.frontend !== null || hasPage(manifest, options.folder))));
  if (builder.exists()) terminal.note(say('ruleBuild'));
  const { frontend } = options;
  // A dev server builds its own.
  const idle = frontend === null ? await ignored.idle() : [];
  if (idle.length > 0) terminal.note(say('leftOut', { arquivos: filesOf(idle), linha: buildLine(options.folder) }), 'busy');
  if (frontend !== null) terminal.note(say('ruleFrontend', { url: `http://${frontend.host}:${frontend.port}` }));
  terminal.note(say('end'));
  if (options.open) openInBrowser(links);
}

const ruleOf = (isLive: boolean, isSeen: boolean) => (isLive ? (isSeen ? 'rule' : 'ruleNoPage') : 'rulePacked');

/** New ones, each of which signs in once. */
async function showLinks({ terminal, portal }: Session): Promise<readonly string[]> {
  const links = await portal.links();
  const width = Math.max(...links.map(({ person }) => person.length));
  for (const { person, link } of links) terminal.note(`${person.padEnd(width)}  ${link}`);
  return links.map(({ link }) => link);
}

function openInBrowser(links: readonly string[]): void {
  for (const link of links) {
    const child = spawn('xdg-open', [link], { stdio: 'ignore', detached: true });
    // The links stand in the terminal.
    child.on('error', () => undefined);
    child.unref();
  }
}

function followLogs({ options, people, terminal, app, portal, delivery }: Session, signal: AbortSignal): void {
  const isUp = (person: string): boolean => portal.running.gateway.apps.find(person, app)?.status === 'running';
  for (const person of people) {
    const isReadable = createReadable();
    const show = (text: string): void => {
      if (isReadable(text)) terminal.run(person, delivery.own(text), isUp(person));
    };
    void followRunLog(portal.running.gateway, { person, app, signal }, show);
    // On a server it is the account's, and read there.
    if (options.server !== null) continue;
    const { data } = appPaths({ home: homeOf(options, person), prefix: '' }, app);
    void followAppLog(path.join(data, 'app.log'), signal, (text) => {
      for (const line of readable(appLogLines(text))) terminal.log('app', person, delivery.own(line));
    });
  }
}

const homeOf = ({ state }: DevOptions, person: string): string => path.join(state, localServer, 'home', person);

/** The end in order goes on, and has nothing to wait for. On a server they are another account's. */
function killBackends({ options, people, terminal, say, app }: Session): void {
  terminal.note(say('endingNow'));
  if (options.server === null) for (const person of people) killApp(homeOf(options, person), app);
}

async function close({ options, people, backends, portal }: Session): Promise<void> {
  const late = (): SvcError => new SvcError('TIMEOUT', 'the backends did not end in time');
  portal.running.onlyStops();
  await withDeadline(clock, limits.devEndMsMax, backends.stop(), late).catch(() => undefined);
  await portal.running.end();
  // Not before: the portal would start them again. On a server other portals need them.
  if (options.server === null) for (const person of people) await endSupervisor(homeOf(options, person));
}
