/** The cost of a portal that only joined: it has no room, nobody came to it, and another one leads. */
import type { TestPostgres } from '../../test/support/postgres.ts';
import { startPortals, type PortalGroup } from '../peers/portals-servers.ts';
import { after, cpuSeconds, untilQuiet } from '../peers/rooms-measure.ts';
import { pssMib } from '../pss.ts';
import type { Row } from '../rows.ts';

interface Idle {
  readonly pss: number;
  readonly cpu: number;
}

async function atRest(pids: readonly number[], seconds: number): Promise<readonly Idle[]> {
  for (const pid of pids) await untilQuiet(pid, 15_000);
  // V8 has compiled the code of a start by then.
  await after(10_000);
  const before = pids.map(cpuSeconds);
  await after(seconds * 1_000);
  const cpu = pids.map((pid, n) => (cpuSeconds(pid) - before[n]!) / seconds);
  return pids.map((pid, n) => ({ pss: pssMib([pid]), cpu: cpu[n]! }));
}

export async function idleRows({ database, short }: { readonly database: TestPostgres; readonly short: boolean }): Promise<readonly Row[]> {
  const groups: PortalGroup[] = [];
  try {
    groups.push(await startPortals({ count: 1, database: null, looked: false }));
    groups.push(await startPortals({ count: 3, database, looked: false }));
    const seen = await atRest(
      groups.flatMap(({ work }) => work.pids),
      short ? 10 : 20,
    );
    console.error(`bench: portals idle ${JSON.stringify(seen)}`);
    const [alone, leader, , joined] = seen;
    const mib = ({ pss }: Idle): string => `${pss.toFixed(0)} MiB`;
    const percent = ({ cpu }: Idle): string => `${(100 * cpu).toFixed(2)} %`;
    return [
      {
        name: 'PSS of a portal that joined and owns nothing, against one alone (SQLite)',
        ours: mib(joined!),
        peer: mib(alone!),
        ratio: `${(joined!.pss / alone!.pss).toFixed(2)}×`,
        target: '≤ 1.1×',
        held: joined!.pss <= 1.1 * alone!.pss,
      },
      {
        name: '… against the one that leads',
        ours: mib(joined!),
        peer: mib(leader!),
        ratio: `${(joined!.pss / leader!.pss).toFixed(2)}×`,
        target: '≤ 1×',
        held: joined!.pss <= leader!.pss,
      },
      {
        name: '… its CPU at rest, against one alone (SQLite)',
        ours: percent(joined!),
        peer: percent(alone!),
        ratio: `${(joined!.cpu / alone!.cpu).toFixed(2)}×`,
        target: '≤ 2 %',
        held: joined!.cpu <= 0.02,
      },
    ];
  } finally {
    for (const group of groups) await group.stop();
  }
}
