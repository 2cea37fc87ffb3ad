/**
 * `svc up DIR`: portal and controller in one process (design 5). Puts the parts together in the order that makes a restart safe:
 * lock, store, look at the world, act, listen. Killing it stops no app.
 */
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import about from '../../package.json' with { type: 'json' };
import { pino, type Logger } from 'pino';
import { directHost } from '../../api/hosts.ts';
import { createPortal, type Portal } from '../../api/portal.ts';
import { createRelay } from '../../api/rooms/relay/relay.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { createBus } from '../../controller/events/bus.ts';
import { faultPoint } from '../../controller/faults.ts';
import { createGateway } from '../../controller/views/gateway.ts';
import { checkSocketPath } from '../../controller/hosts/unix-socket.ts';
import { createController, type Controller } from '../../controller/loop/loop.ts';
import { type RepositoryHandler, createRepositoryHandler } from '../../api/repository/serve.ts';
import { isRepositoryFolder, repositoryLocation } from '../../controller/repository/location.ts';
import { openSqliteStore } from '../../controller/store/sqlite.ts';
import { type MarkedRoomLog, openMarkedRoomLog } from '../../controller/store/room-log-mark.ts';
import type { Store } from '../../controller/store/store.ts';
import { withEdges } from '../../controller/store/with-edges.ts';
import { lockState } from '../../controller/store/state-lock.ts';
import { openRepositoryFolder } from '../../kit/publish/repository-folder.ts';
import type { Clock } from '../../schema/clock.ts';
import type { ServerDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { acceptLoss, relayReport, roomsCheck } from './room-report.ts';
import { gpuCheck } from './gpu-check.ts';
import { createAdmin, createHost, kitFor } from './host.ts';
import { createRepositoryWriter } from './repository-writer.ts';
import { portalSettings, rememberStore, storeFile } from './settings.ts';

export interface UpOptions {
  readonly dir: string;
  /** host:port; null takes the Portal document's. */
  readonly listen: string | null;
  readonly state: string;
}

const root = path.resolve(import.meta.dirname, '../..');

/** Resolves when SIGTERM or SIGINT ended it in order; rejects with a coded error when it can't begin. */
export async function up(options: UpOptions): Promise<void> {
  const ended = untilSignal();
  // Whoever looks at a terminal wants the link and what went wrong; a service wants every transition.
  const level = process.env['SVC_LOG_LEVEL'] ?? (process.stderr.isTTY ? 'error' : 'info');
  const log = pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  const running = await begin(options, log);
  log.info({ signal: await ended }, 'ending; apps live on');
  await running.end();
}

export interface Running {
  readonly url: string;
  readonly controller: Controller;
  readonly gateway: Gateway;
  end(): Promise<void>;
}

/** Everything but the signals: tests run it in their own process. */
export async function begin({ dir, listen, state }: UpOptions, log: Logger): Promise<Running> {
  const stateDir = path.resolve(state);
  const desiredDir = path.resolve(dir);
  const controlSocket = path.join(stateDir, 'svc.sock');
  checkSocketPath(controlSocket);
  const ends: (() => void | Promise<void>)[] = [];
  const end = async (): Promise<void> => {
    for (const one of ends.splice(0).toReversed()) await one();
  };
  try {
    ends.push(lockState(stateDir));
    faultPoint('up/locked');
    const file = await storeFile(desiredDir, stateDir);
    const bus = createBus();
    const store = withEdges(await openSqliteStore(file), bus);
    ends.push(() => store.close());
    await rememberStore(stateDir, file);
    const roomLog = await openRoomLog(stateDir, store, log, ends);
    faultPoint('up/store-open');
    const clock = systemClock;
    const reached = reachedAt();
    const controller = await createController({
      portalUrl: reached.of,
      shellVersion: about.version,
      dir: desiredDir,
      store,
      bus,
      clock,
      log,
      createHost: (server, readOnly) => createHost({ stateDir, clock, log }, server, readOnly),
      createAdmin: (server) => createAdmin({ stateDir, clock, log }, server),
      serverKit: kitFor,
    });
    const gateway = createGateway(controller.context, stateDir);
    ends.push(() => controller.stop());
    ends.push(() => reached.never());
    await controller.prepare();
    refuseNothing(controller);
    const settings = portalSettings(controller.context.world.portal?.document.spec ?? {}, listen);
    await refuseTaken(settings.listenHost, settings.listenPort);
    await controller.start();
    const relay = createRelay({ log: roomLog.log, clock, report: relayReport(log) });
    const repository = await servedRepository(controller, clock, log);
    const portal = await createPortal({
      ...(repository === null ? {} : { repository }),
      store,
      bus,
      gateway,
      relay,
      settings,
      controlSocket,
      attachmentsDir: path.join(stateDir, 'anexos'),
      assets: { shellDir: path.join(root, 'build/shell'), sdkWebDir: path.join(root, 'build/sdk/web') },
      log,
      clock,
      doctorChecks: [() => gpuCheck(gateway), () => roomsCheck(relay, roomLog.trouble)],
    });
    ends.push(() => portal.close());
    const { url, port } = await portal.listen();
    reached.is(url, directHost(settings.listenHost, port));
    faultPoint('up/listening');
    await tellWayIn(portal, url, signInPerson(controller, gateway));
    return { url, controller, gateway, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Where backends find the portal, which is known once it listens: by address on this machine, by its name from other servers. */
function reachedAt() {
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly url: string; readonly direct: string }>();
  promise.catch(() => undefined);
  return {
    of: async ({ spec }: ServerDocument): Promise<string> => {
      const { url, direct } = await promise;
      return 'local' in spec ? `http://${direct}` : url;
    },
    is: (url: string, direct: string): void => resolve({ url, direct }),
    never: (): void => reject(new SvcError('CANCELLED', 'the portal ends')),
  };
}

/** Before documents are read: a Grant makes rooms. The portal closes the relay, and the file goes after it. */
async function openRoomLog(stateDir: string, store: Store, log: Logger, ends: (() => Promise<void> | void)[]): Promise<MarkedRoomLog> {
  const [file, acceptLossFile] = [path.join(stateDir, 'rooms.db'), path.join(stateDir, acceptLoss)];
  const opened = await openMarkedRoomLog({ file, acceptLossFile, store, nowMs: systemClock.nowMs() });
  ends.push(() => opened.log.close());
  const { trouble, setAside } = opened;
  if (trouble !== null) log.error({ trouble }, 'nobody gets into any room; apps and everything else go on. svc doctor says how to mend it');
  if (setAside !== null) log.warn({ setAside }, 'the loss of the documents of rooms was accepted: they begin empty');
  return opened;
}

/** The repository that the portal serves itself: a folder with packed versions. Null for a URL and for unpacked packages. */
async function servedRepository({ context: { world, options } }: Controller, clock: Clock, log: Logger): Promise<RepositoryHandler | null> {
  const location = world.portal && repositoryLocation(options.dir, world.portal);
  if (!location || location.kind !== 'folder' || !(await isRepositoryFolder(location.folder))) return null;
  await openRepositoryFolder(location.folder);
  return createRepositoryHandler({ root: location.folder, writer: createRepositoryWriter(location.folder, clock), clock, log });
}

/** With errors in the folder the last good state is in force; without one there is nothing to serve. */
function refuseNothing({ context: { source } }: Controller): void {
  const errors = source.errors();
  for (const error of errors) process.stderr.write(`${error}\n`);
  if (errors.length > 0 && source.current().hash === '') {
    throw new SvcError(
      'DESIRED_INVALID',
      `the folder has ${errors.length} ${errors.length === 1 ? 'error' : 'errors'} and nothing was in force before`,
    );
  }
}

/** Before anything is done: a portal that can't be reached must not act. */
async function refuseTaken(host: string, port: number): Promise<void> {
  const server = net.createServer();
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'another program listens there' : message;
    throw new SvcError(
      'ADDRESS_IN_USE',
      `the portal can't listen on ${host}:${port}: ${why}; give --listen another address`,
      {},
      { cause: error },
    );
  } finally {
    server.close();
  }
}

/** Source: design 4, Portal.spec.signIn; the only person, or the first by name. */
function signInPerson({ context: { world } }: Controller, gateway: Gateway): string | null {
  const named = world.portal?.document.spec.signIn?.local?.person;
  const people = gateway.people().map(({ usuario }) => usuario);
  return named ?? people.sort()[0] ?? null;
}

async function tellWayIn(portal: Portal, url: string, person: string | null): Promise<void> {
  process.stdout.write(
    person === null ? `listening on ${url}, with no Person document yet\n` : `open ${await portal.signInLink(person, { admin: true })}\n`,
  );
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}
