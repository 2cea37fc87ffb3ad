/**
 * The connections of one portal to its database. Renewals have connections of their own: slow queries of others must not cost the portal
 * its lease or its rooms.
 */
import { Pool, type ClientBase, type ClientConfig } from 'pg';
import type { Clock } from '../schema/clock.ts';
import { limits } from './limits.ts';
import { createHosts, type PostgresHosts, type PostgresPlace } from './postgres-hosts.ts';

export interface Pools {
  /** For everything else. */
  readonly pool: Pool;
  /** For the renewal of the lease and of the row among the portals. */
  readonly renewals: Pool;
  readonly hosts: PostgresHosts;
  end(): Promise<void>;
}

export async function openPools(place: PostgresPlace, clock: Clock): Promise<Pools> {
  const hosts = createHosts(place, clock);
  // Among several servers, finds the one that was promoted last.
  if (hosts.several) await hosts.look();
  const pool = newPool(hosts, limits.storeConnectionsMax, {});
  const renewals = newPool(hosts, limits.storeRenewalConnectionsMax, {
    connectionTimeoutMillis: limits.storeRenewMsMax,
    statement_timeout: limits.storeRenewMsMax,
    query_timeout: limits.storeRenewMsMax,
  });
  return {
    pool,
    renewals,
    hosts,
    end: async () => {
      hosts.stop();
      await Promise.all([pool.end(), renewals.end()]);
    },
  };
}

function newPool(hosts: PostgresHosts, max: number, more: ClientConfig): Pool {
  /** Which host it is to is known when it is made. */
  function StoreClient(): ClientBase {
    return hosts.newClient(more);
  }
  const pool = new Pool({
    max,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: limits.storeConnectMsMax,
    ...more,
    Client: StoreClient as unknown as new () => ClientBase,
    // oxlint-disable-next-line typescript/no-misused-promises -- it is awaited, whatever its type says
    onConnect: (client) => hosts.admit(client),
  });
  // A connection that breaks while idle is replaced; one that breaks in use fails its query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
