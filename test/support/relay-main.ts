/**
 * A relay in a process of its own, for tests that flood or kill it. argv: folder of the log. Prints the address; answers every message
 * with what it took: the longest turn of its event loop in CPU time (other programs on the machine don't count), memory, figures.
 */
import { startRelay } from './relay-world.ts';

const world = await startRelay({ dir: process.argv[2]!, collect: () => globalThis.gc?.() });
let longestTurnMs = 0;
let before = process.threadCpuUsage();
const look = (): void => {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  longestTurnMs = Math.max(longestTurnMs, (user + system) / 1_000);
  setTimeout(look, 1);
};
look();

process.on('message', (ask: 'figures' | 'reset') => {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ longestTurnMs, rss, heapUsed: heapUsed + external, figures: world.relay.figures(), reports: world.reports });
  if (ask === 'reset') longestTurnMs = 0;
  // The collection that was asked for is none of its turns.
  before = process.threadCpuUsage();
});
process.stdout.write(`${world.url}\n`);
