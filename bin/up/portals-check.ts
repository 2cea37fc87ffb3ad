/** The row `portals` of `svc doctor`: who else uses the store, who leads, and what would make them disagree. */
import type { Pool } from 'pg';
import type { PortalSeen } from '../../schema/portals.ts';
import { livingPortals, type Member } from '../../store/portals.ts';
import type { Clock } from '../../schema/clock.ts';
import type { HostSeen } from '../../store/postgres-hosts.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import type { Words } from '../../schema/texts/reasons.ts';
import { limits } from '../limits.ts';
import { limits as storeLimits } from '../../store/limits.ts';

export interface PortalsSeen {
  readonly members: readonly Member[];
  /** How many rooms are at each, by its id. */
  readonly rooms: ReadonlyMap<string, number>;
  /** Holder of the lease, for people; null: nobody leads. */
  readonly leader: string | null;
  /** Clock of this portal minus that of the database, in ms. */
  readonly clockAheadMs: number;
  /** Connections that the database takes from portals. */
  readonly connectionsMax: number;
}

export async function lookAtPortals(pool: Pool, clock: Clock): Promise<PortalsSeen> {
  const members = await livingPortals(pool, clock);
  const askedMs = clock.nowMs();
  const { rows } = await pool.query<{ readonly leader: string | null; readonly nowMs: number; readonly connectionsMax: number }>(asked);
  const [row] = rows;
  const here = (askedMs + clock.nowMs()) / 2;
  const counted = await pool.query<{ readonly portal: string; readonly n: number }>(
    `SELECT portal, count(*) AS n FROM room_owners WHERE portal <> '' GROUP BY portal`,
  );
  const rooms = new Map(counted.rows.map(({ portal, n }) => [portal, n]));
  return {
    members,
    rooms,
    leader: row?.leader ?? null,
    clockAheadMs: here - (row?.nowMs ?? here),
    connectionsMax: row?.connectionsMax ?? 0,
  };
}

const asked = `SELECT (SELECT holder FROM leases WHERE name = 'leader' AND until > clock_timestamp()) AS leader,
  (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs",
  current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint AS "connectionsMax"`;

/** For `svc get Portal`. */
export async function portalsSeen(pool: Pool, clock: Clock): Promise<readonly PortalSeen[]> {
  const { members, rooms, leader } = await lookAtPortals(pool, clock);
  return members.map(({ id, holder, address, version, quietMs, unreached }) => ({
    holder,
    address,
    version,
    leads: holder === leader,
    rooms: rooms.get(id) ?? 0,
    quietS: Math.floor(quietMs / 1_000),
    unreached,
  }));
}

/** Besides those for questions and for renewals one that receives messages of the others, and one that asks which server takes writes. */
const connectionsOfOne = storeLimits.storeConnectionsMax + storeLimits.storeRenewalConnectionsMax + 2;

interface Trouble {
  readonly detail: Words;
  readonly fix: Words;
}

/** Finds servers of a database with several that could not take over now. */
function hostTroubles(hosts: readonly HostSeen[]): readonly Trouble[] {
  if (hosts.length < 2) return [];
  const of = (state: HostSeen['state']): string => hosts.flatMap((host) => (host.state === state ? [host.at] : [])).join(', ');
  const troubles: Trouble[] = [];
  if (of('away') !== '')
    troubles.push({
      detail: {
        pt: `servidores do banco que não respondem: ${of('away')}`,
        en: `servers of the database that do not answer: ${of('away')}`,
      },
      fix: { pt: `ponha-os de pé, ou tire-os de Portal.spec.store`, en: `bring them up, or take them out of Portal.spec.store` },
    });
  if (of('old') !== '')
    troubles.push({
      detail: {
        pt: `era o primário antes da última promoção, e aceita escritas: ${of('old')}`,
        en: `was the primary before the last promotion, and takes writes: ${of('old')}`,
      },
      fix: { pt: 'encerre-o; ele só volta como standby (pg_rewind)', en: 'end it; it comes back only as a standby (pg_rewind)' },
    });
  if (of('other') !== '')
    troubles.push({
      detail: { pt: `não é deste banco: ${of('other')}`, en: `not of this database: ${of('other')}` },
      fix: { pt: 'corrija Portal.spec.store', en: 'correct Portal.spec.store' },
    });
  return troubles;
}

/** Portals that do not reach a server that another portal reaches. The row `servers` reports servers that no portal reaches. */
function aloneUnreached(members: readonly Member[]): readonly string[] {
  return members.flatMap(({ holder, unreached }) => {
    const alone = unreached.filter((server) => members.some((other) => !other.unreached.includes(server)));
    return alone.length === 0 ? [] : [`${holder} (${alone.join(', ')})`];
  });
}

/** `version`: of this portal. `hosts`: the servers of the database. `hasUrl`: the Portal document says what people type. */
export function portalsCheck(
  { members, leader, clockAheadMs, connectionsMax }: Omit<PortalsSeen, 'rooms'>,
  { version, hosts, hasUrl }: { readonly version: string; readonly hosts: readonly HostSeen[]; readonly hasUrl: boolean },
): DoctorCheck {
  const row = { name: 'portals', ok: true, warning: false, fix: null } as const;
  const list = members.map((member) => `${member.holder}${member.holder === leader ? ' *' : ''}`).join('; ');
  const others = members.filter((member) => member.version !== version).map((member) => `${member.holder} (${member.version})`);
  const wanted = members.length * connectionsOfOne;
  const troubles: Trouble[] = [...hostTroubles(hosts)];
  if (leader === null)
    troubles.push({
      detail: { pt: 'nenhum conduz', en: 'none leads' },
      fix: {
        pt: 'veja o registro dos portais: algum deve assumir em segundos',
        en: 'look at the logs of the portals: one should take over within seconds',
      },
    });
  if (Math.abs(clockAheadMs) > limits.portalClockSkewMsMax)
    troubles.push({
      detail: {
        pt: `o relógio desta máquina difere do banco em ${Math.round(clockAheadMs)} ms`,
        en: `the clock of this machine differs from that of the database by ${Math.round(clockAheadMs)} ms`,
      },
      fix: { pt: 'acerte os relógios (chrony ou systemd-timesyncd)', en: 'set the clocks right (chrony or systemd-timesyncd)' },
    });
  if (others.length > 0)
    troubles.push({
      detail: { pt: `de outra versão: ${others.join('; ')}`, en: `of another version: ${others.join('; ')}` },
      fix: { pt: 'termine a atualização: um portal de cada vez', en: 'finish the upgrade: one portal after the other' },
    });
  if (wanted > connectionsMax)
    troubles.push({
      detail: {
        pt: `o banco aceita ${connectionsMax} conexões, e os portais usam até ${wanted}`,
        en: `the database takes ${connectionsMax} connections, and the portals use up to ${wanted}`,
      },
      fix: { pt: `max_connections = ${wanted + 20} no postgresql.conf`, en: `max_connections = ${wanted + 20} in postgresql.conf` },
    });
  if (!hasUrl && members.length > 1)
    troubles.push({
      detail: {
        pt: 'falta Portal.spec.url: cada portal diz o seu endereço',
        en: 'Portal.spec.url is missing: each portal says an address of its own',
      },
      fix: { pt: 'ponha em Portal.spec.url o que as pessoas digitam', en: 'set Portal.spec.url to what people type' },
    });
  const alone = aloneUnreached(members);
  if (alone.length > 0)
    troubles.push({
      detail: {
        pt: `não alcança servidores que outro alcança: ${alone.join('; ')}`,
        en: `does not reach servers that another one reaches: ${alone.join('; ')}`,
      },
      fix: {
        pt: 'dê a todos a mesma chave (a pasta ssh/ do estado) e a mesma rede: quem não alcança também não conduz',
        en: 'give all of them the same key (ssh/ of the state folder) and the same network: one that leads has to reach them',
      },
    });
  const [first] = troubles;
  if (first === undefined) return { ...row, detail: { pt: `${list} (* conduz)`, en: `${list} (* leads)` } };
  const joined = (of: (trouble: (typeof troubles)[number]) => string): string => troubles.map(of).join('; ');
  return {
    ...row,
    ok: leader !== null,
    warning: leader !== null,
    detail: { pt: joined(({ detail }) => detail.pt), en: joined(({ detail }) => detail.en) },
    fix: { pt: joined(({ fix }) => fix.pt), en: joined(({ fix }) => fix.en) },
  };
}
