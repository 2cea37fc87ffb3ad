/**
 * `svc-app-supervisor`: one per home, started by the portal with the session (rules 3.3). The shim bin/svc-app-supervisor holds the lock. Exit
 * codes: 0 ended by request, 2 usage, 1 it could not start. Its log is JSON lines on stderr.
 */
import { dirname, join } from 'node:path';
import { kitRoot, placeFrom } from '../place.ts';
import { closeInheritedDescriptors } from '../descriptors.ts';
import { codeWatch } from './code-watch.ts';
import { createLog } from './log.ts';
import { startSupervisor } from './supervisor.ts';
import { kitVersion } from '../../schema/supervisor-protocol.ts';
import { tellsVersion } from '../version.ts';

const log = createLog(2);

// The next resync observes everything within ten seconds, so an unexpected error (a folder made unreadable) costs one pass. Exiting here
// would leave all apps unwatched, and the next supervisor would meet the same error.
process.on('uncaughtException', (error) =>
  log('unexpected', { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
);

/** Not at the top level: the bundle is a CommonJS file (setup/build.ts). */
async function run(): Promise<void> {
  try {
    const place = placeFrom(process.env);
    const kit = kitRoot(process.env, import.meta.dirname);
    closeInheritedDescriptors();
    process.chdir(place.home);
    const quit = (): void => {
      end();
      log('ended-by-request');
      process.exit(0);
    };
    const end = await startSupervisor({
      place,
      kitRoot: kit,
      binDir: join(kit, 'bin'),
      version: kitVersion,
      isOutdated: codeWatch(process.env['SVC_SUPERVISOR'], import.meta.filename),
      nowMs: () => Date.now(),
      log,
      quit,
      replaced: () => {
        log('replaced', { by: 'another supervisor holds the lock of this home' });
        process.exit(0);
      },
    });
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, quit);
    log('started', { pid: process.pid, home: place.home, prefix: place.prefix, code: dirname(import.meta.filename) });
  } catch (error) {
    log('not-started', { error: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
  }
}

if (!tellsVersion(process.argv.slice(2))) void run();
