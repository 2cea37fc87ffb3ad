/** Processes on the server, seen in the process table and not asked of the product. */
import type { TestSshd } from '../support/sshd.ts';
import { apps, type ChaosPerson, type ChaosWorld } from './world.ts';

type Seen = ReturnType<TestSshd['processes']>[number];

const isLauncher = (argv: readonly string[]): boolean => argv.some((word) => /svc-app-run|flock$/.test(word));
const isSupervisor = (argv: readonly string[]): boolean => argv.some((word) => /\/svc-app-supervisor(\.[cm]js)?$/.test(word));

export interface Table {
  /** Own processes of the backend: one when it runs. A child that was forked a moment ago still has its parent's words and doesn't count. */
  backends(person: ChaosPerson, app: string): readonly number[];
  supervisors(person: ChaosPerson): readonly number[];
  launchers(person: ChaosPerson): readonly number[];
  /** Processes of the person that belong to nothing desired. */
  strays(person: ChaosPerson, wanted: (app: string) => boolean): readonly string[];
}

export function readTable(world: ChaosWorld): Table {
  const all = world.sshd.processes();
  const of = (person: ChaosPerson): readonly Seen[] => all.filter(({ uid }) => uid === person.account.uid);
  const roots = (found: readonly Seen[]): readonly number[] =>
    found.filter(({ parent }) => !found.some(({ pid }) => pid === parent)).map(({ pid }) => pid);
  const isBackend = (seen: Seen, app: string): boolean =>
    seen.app === app && !isLauncher(seen.argv) && seen.argv.some((word) => new RegExp(`/svc-apps/(\\.versions/)?${app}[/@]`).test(word));
  const backends: Table['backends'] = (person, app) => roots(of(person).filter((seen) => isBackend(seen, app)));
  return {
    backends,
    supervisors: (person) => roots(of(person).filter(({ argv }) => isSupervisor(argv) && argv[0]?.endsWith('flock') !== true)),
    launchers: (person) =>
      of(person)
        .filter(({ argv }) => isLauncher(argv))
        .map(({ pid }) => pid),
    strays: (person, wanted) => {
      const mine = of(person);
      const belongs = (seen: Seen): boolean => {
        if (seen.app === null) return isSupervisor(seen.argv);
        const main = wanted(seen.app) ? backends(person, seen.app) : [];
        for (let at: Seen | undefined = seen; at !== undefined; at = mine.find(({ pid }) => pid === at?.parent)) {
          if (main.includes(at.pid)) return true;
        }
        return false;
      };
      return mine.filter((seen) => !belongs(seen)).map(({ pid, app, argv }) => `${pid} (${app ?? '-'}) ${argv.join(' ').slice(0, 160)}`);
    },
  };
}

/** Looks all the time whether two processes of one app live at once. */
export function watchForTwins(world: ChaosWorld): { readonly seen: readonly string[]; stop(): void } {
  const seen: string[] = [];
  const timer = setInterval(() => {
    const table = readTable(world);
    for (const person of world.people) {
      for (const app of apps) {
        const pids = table.backends(person, app);
        if (pids.length > 1) seen.push(`${person.name}/${app}: ${pids.join(' and ')}`);
      }
    }
  }, 150);
  return { seen, stop: () => clearInterval(timer) };
}
