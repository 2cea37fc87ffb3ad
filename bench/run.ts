/**
 * `npm run bench [-- AREA… --short]`: runs the areas side by side with their peers, each in a process of its own, and writes the rows of
 * each one into its section of docs/benchmarks.md with the commit, as soon as they are known. A failed area is reported at the end; the
 * others are run all the same. Options of one area come as `--name=value` (rooms: `--only=fanout,storm --rounds=3`, `--profile=FILE.svg`);
 * with one, or with --short, nothing is written.
 * `--against COMMIT` lets this tree and that commit take turns instead (against.ts).
 */
import { benchAgainst } from './against.ts';
import { isPart, runEach } from './each.ts';
import { checkOptions, countOf, isHelpWanted, isShort, namedAreas, optionOf, optionsGiven, usage, UsageError } from './options.ts';
import type { Area } from './rows.ts';
import { measureArea } from './sections.ts';

const areas: Readonly<Record<string, () => Promise<Area>>> = {
  proxy: async () => (await import('./proxy.ts')).proxyArea,
  supervision: async () => (await import('./supervision.ts')).supervisionArea,
  ssh: async () => (await import('./ssh.ts')).sshArea,
  files: async () => (await import('./files.ts')).filesArea,
  desktop: async () => (await import('./desktop.ts')).desktopArea,
  hour: async () => (await import('./hour.ts')).hourArea,
  many: async () => (await import('./many.ts')).manyArea,
  tick: async () => (await import('./tick.ts')).tickArea,
  engines: async () => (await import('./engines.ts')).enginesArea,
  rooms: async () => (await import('./rooms.ts')).roomsArea,
  'room-history': async () => (await import('./room-history.ts')).roomHistoryArea,
  portals: async () => (await import('./portals.ts')).portalsArea,
  'app-calls': async () => (await import('./app-calls.ts')).appCallsArea,
  queue: async () => (await import('./queue.ts')).queueArea,
  metrics: async () => (await import('./metrics.ts')).metricsArea,
  commands: async () => (await import('./commands.ts')).commandsArea,
  dev: async () => (await import('./dev.ts')).devArea,
  validate: async () => (await import('./validate.ts')).validateArea,
};

async function run(): Promise<number> {
  const named = namedAreas();
  const wanted = named.length > 0 ? named : Object.keys(areas);
  const strange = wanted.find((name) => !Object.hasOwn(areas, name));
  if (strange !== undefined) throw new UsageError(`no area "${strange}"; there are: ${Object.keys(areas).join(', ')}`);
  checkOptions(wanted);
  if (isHelpWanted()) {
    console.log(usage);
    return 0;
  }
  const short = isShort();
  const commit = optionOf('against');
  if (commit !== undefined)
    return (await benchAgainst({ areas: wanted, commit, rounds: countOf('rounds', 3), short, only: optionOf('only') })) ? 0 : 1;
  const [name] = wanted;
  if (name === undefined || !isPart()) return await runEach(wanted, optionsGiven());
  const order = Object.keys(areas);
  return await measureArea({ name, area: await areas[name]!(), order, short, isWritten: optionsGiven().length === 0 });
}

try {
  process.exitCode = await run();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
}
