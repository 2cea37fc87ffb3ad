/** Faults of one portal, or of the database. Each ends when it is over; `struck` is called when it began. */
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseHost, hostOf, type FaultsWorld } from './world.ts';

type Fault = (world: FaultsWorld, which: number, struck: () => void, lastsMs: number) => Promise<void>;

const others = (which: number): readonly number[] => [0, 1, 2].filter((one) => one !== which).map(hostOf);

/** Packets between this portal and those machines are dropped. */
const cutOff =
  (from: (which: number) => readonly number[]): Fault =>
  async ({ network }, which, struck, lastsMs) => {
    for (const other of from(which)) await network.cut(hostOf(which), other);
    struck();
    await sleep(lastsMs);
    for (const other of from(which)) await network.mend(hostOf(which), other);
  };

export const faults: Readonly<Record<string, Fault>> = {
  killed: async ({ portals }, which, struck) => {
    await portals[which]!.kill();
    struck();
    await portals[which]!.again();
  },
  paused: async ({ portals }, which, struck, lastsMs) => {
    portals[which]!.child.kill('SIGSTOP');
    struck();
    await sleep(lastsMs);
    portals[which]!.child.kill('SIGCONT');
  },
  'cut off from the database': cutOff(() => [databaseHost]),
  'cut off from the other portals': cutOff(others),
  'cut off from both': cutOff((which) => [databaseHost, ...others(which)]),
  'cut off from everything': async ({ network }, which, struck, lastsMs) => {
    await network.alone(hostOf(which));
    struck();
    await sleep(lastsMs);
    await network.found(hostOf(which));
  },
  'database restarted': async ({ database }, _which, struck) => {
    await database.stop('immediate');
    struck();
    await database.start();
  },
};
