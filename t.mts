import { started, roomServers, runLoad, startLoad } from './bench/peers/rooms-servers.ts';
import { memoryRun } from './bench/rooms.ts';
const [sc, names, secs, ...flags] = process.argv.slice(2);
for (const n of names.split(',')) {
  if (n === 'relay') process.env.RELAY_ALONE = '1';
  else delete process.env.RELAY_ALONE;
  const s =
    n === 'relay'
      ? await started(['node_modules/.bin/node', '--max-semi-space-size=8', '--expose-gc', ...flags, '/tmp/rb-relay.ts'])
      : await roomServers[n]();
  try {
    console.log(
      n,
      JSON.stringify(
        sc === 'memory'
          ? await memoryRun(s, Number(secs))
          : await runLoad({ scenario: sc, facts: s.facts, pid: s.pid, seconds: Number(secs) }),
      ),
    );
  } catch (e) {
    console.log(n, 'ERR', e.message);
  } finally {
    await s.stop();
  }
}
process.exit();
