/** Metrics of a site for its operator: servers, disks, the store, packages, jobs, sign-ins, the leader. Names of servers are the only free label. */
import { statfs } from 'node:fs/promises';
import { Counter, Gauge } from 'prom-client';
import type { ServerFigures, SiteFigures } from '../../schema/figures.ts';
import { jobStates } from '../../schema/jobs.ts';
import { packageStates } from '../../schema/packages.ts';
import type { SignInMethod } from '../../store/store.ts';
import { countMetric } from '../app-metrics/distribution-metric.ts';
import { limits } from '../limits.ts';

export interface SiteParts {
  readonly site: () => SiteFigures;
  /** Rejections of the store so far. */
  readonly storeErrors: () => number;
  /** Null where the portal has none. */
  readonly stateDir: string | null;
}

export interface SignIns {
  readonly metric: Counter;
  count(method: SignInMethod, result: 'ok' | 'refused'): void;
}

export function createSignIns(): SignIns {
  const metric = new Counter({
    name: 'svc_sign_ins_total',
    help: 'Sign-ins, by method and how they ended',
    labelNames: ['method', 'result'],
    registers: [],
  });
  for (const method of ['link', 'ssh', 'oidc', 'passkey']) for (const result of ['ok', 'refused']) metric.inc({ method, result }, 0);
  return { metric, count: (method, result) => metric.inc({ method, result }) };
}

interface Row {
  readonly labels: Readonly<Record<string, string>>;
  readonly n: number;
}

function gauge(name: string, help: string, labelNames: readonly string[], rows: () => Iterable<Row> | Promise<Iterable<Row>>): Gauge {
  return new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [],
    async collect() {
      const now = await rows();
      this.reset();
      if (labelNames.length === 0) this.remove();
      for (const { labels, n } of now) this.set(labels, n);
    },
  });
}

/** All metrics of one scrape are of one reading, which goes through every object of the site. */
function oncePerTurn<Result>(read: () => Result): () => Result {
  let known: { readonly result: Result } | null = null;
  return () => {
    if (known === null) {
      known = { result: read() };
      setImmediate(() => {
        known = null;
      });
    }
    return known.result;
  };
}

export function siteMetrics({ site: read, storeErrors, stateDir }: SiteParts): readonly (Gauge | Counter)[] {
  const site = oncePerTurn(read);
  const ofServers = (of: (server: ServerFigures) => number | boolean | null): readonly Row[] =>
    site()
      .servers.slice(0, limits.metricsServersMax)
      .flatMap((server) => {
        const n = of(server);
        return n === null ? [] : [{ labels: { server: server.name }, n: Number(n) }];
      });
  const states = (counts: ReadonlyMap<string, number>, all: readonly string[]): readonly Row[] =>
    all.map((state) => ({ labels: { state }, n: counts.get(state) ?? 0 }));
  return [
    gauge('svc_server_up', '1 while the server answers and takes connections', ['server'], () => ofServers(({ isUp }) => isUp)),
    gauge('svc_server_kit_current', '1 where the server kit is that of this portal', ['server'], () => ofServers(({ hasKit }) => hasKit)),
    gauge('svc_server_kit_stopped', '1 where a new server kit failed, so that no other server gets it', ['server'], () =>
      ofServers(({ stopsKit }) => stopsKit),
    ),
    gauge('svc_server_drained', '1 while a server is taken out of use: nothing is started there', ['server'], () =>
      ofServers(({ isDrained }) => isDrained),
    ),
    gauge('svc_server_free_bytes', 'Free below /opt of a server', ['server'], () => ofServers(({ optFreeBytes }) => optFreeBytes)),
    gauge('svc_server_home_free_bytes', 'Free in the fullest home of a server', ['server'], () =>
      ofServers(({ homeFreeBytes }) => homeFreeBytes),
    ),
    gauge('svc_packages', 'Packages of all servers by state', ['state'], () => states(site().packages, packageStates)),
    gauge('svc_jobs', 'Jobs of the queue by state', ['state'], () => states(site().jobs, jobStates)),
    gauge('svc_portal_leads', '1 where this portal orders; of several that share a store one does', [], () => [
      { labels: {}, n: Number(site().leads) },
    ]),
    gauge('svc_state_free_bytes', 'Free for the account of the portal where its state folder is', [], () => freeRows(stateDir)),
    countMetric('svc_store_errors_total', 'Failures of the store: disk, database', () => [{ labels: {}, n: storeErrors() }]),
  ];
}

async function freeRows(stateDir: string | null): Promise<readonly Row[]> {
  if (stateDir === null) return [];
  try {
    const { bavail, bsize } = await statfs(stateDir);
    return [{ labels: {}, n: bavail * bsize }];
  } catch {
    // A disk that can't be asked has no sample.
    return [];
  }
}
