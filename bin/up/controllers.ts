/** The controllers of a portal: one for as long as it lives, or, among other portals, one for each leadership term. */
import about from '../../package.json' with { type: 'json' };
import type { Logger } from 'pino';
import type { PortalDev } from '../../api/dev/contract.ts';
import type { StartedWith } from '../../controller/desired/restart.ts';
import type { Host } from '../../controller/hosts/host.ts';
import type { AroundCluster } from '../../controller/context.ts';
import { createController, type Controller } from '../../controller/loop/loop.ts';
import type { Audit } from '../../schema/audit.ts';
import type { Clock } from '../../schema/clock.ts';
import type { ClusterDocument, ServerDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Bus } from '../../store/bus.ts';
import type { Leading } from '../../store/postgres.ts';
import type { Backups } from './backups.ts';
import { createCluster } from './cluster.ts';
import { createAdmin, createHost, createSshKeys, kitFor } from './host.ts';
import type { OpenState } from './state.ts';

/** Parts that `svc dev` puts into the same portal. */
export interface DevParts {
  readonly portal: PortalDev;
  /** Stands before the driver of a server. */
  readonly host: (host: Host) => Host;
}

interface ControllerParts {
  readonly stateDir: string;
  readonly desiredDir: string;
  readonly opened: OpenState;
  readonly local: Bus;
  readonly reached: ReturnType<typeof reachedAt>;
  readonly startedWith: () => StartedWith | null;
  readonly backups: Pick<Backups, 'standing'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dev: DevParts | undefined;
  readonly audit: Audit;
}

/** Makes the controller of a leadership term; null: of a portal among others that does not lead. */
export function controllers(around: ControllerParts) {
  const { stateDir, desiredDir, opened, local, reached, startedWith, backups, clock, log, dev, audit } = around;
  const parts = { stateDir, clock, log };
  const common = {
    portalUrl: reached.of,
    startedWith,
    backups: () => backups.standing(),
    shellVersion: about.version,
    dir: desiredDir,
    audit,
    clock,
    log,
    createHost: (server: ServerDocument, readOnly: boolean) => (dev?.host ?? same)(createHost(parts, server, readOnly)),
    // The kit of a server is its portal's.
    createAdmin: (server: ServerDocument) => (dev === undefined ? createAdmin(parts, server) : null),
    serverKit: kitFor,
    sshKeys: createSshKeys(parts),
    createCluster: (document: ClusterDocument, around: AroundCluster) => createCluster({ stateDir, desiredDir, clock }, document, around),
    portalUrlOfJobs: reached.ofJobs,
    forgetWriter: (person: string) => opened.roomLog.log.forgetWriter(person),
    ...(opened.portals === null ? {} : { portals: opened.portals }),
  };
  return async (leading: Leading | null): Promise<Controller> => {
    if (opened.member === null)
      return await createController({ ...common, store: opened.store, bus: opened.bus, leader: opened.leader, held: opened.held });
    if (leading === null) return await createController({ ...common, store: opened.store, bus: local, leads: false });
    return await createController({ ...common, store: opened.led(leading), bus: opened.bus, leader: leading.number, held: leading.held });
  };
}

const same = (host: Host): Host => host;

/** Where backends find the portal, which is known once it listens: by address on this machine, by its name from other servers. */
export function reachedAt() {
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly url: string; readonly direct: string }>();
  promise.catch(() => undefined);
  return {
    of: async ({ spec }: ServerDocument): Promise<string> => {
      const { url, direct } = await promise;
      return 'local' in spec ? `http://${direct}` : url;
    },
    ofJobs: async ({ spec: { scheduler, portal } }: ClusterDocument): Promise<string> => {
      const { url, direct } = await promise;
      if (portal !== undefined) return portal.replace(/^(?!https?:)/, 'http://').replace(/\/$/, '');
      return 'local' in scheduler ? `http://${direct}` : url;
    },
    is: (url: string, direct: string): void => resolve({ url, direct }),
    never: (): void => reject(new SvcError('CANCELLED', 'the portal ends')),
  };
}
