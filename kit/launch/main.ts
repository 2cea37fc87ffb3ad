/**
 * `svc-app-run ID`: the launcher as a program. The shim bin/svc-app-run has taken the launch lock and made us leader of a session; at the end this
 * process becomes the backend, with the same pid (rules 3.1).
 *
 * Exit codes: 0 the app is up (or became it), 2 usage, 75 another launcher is at work (said by flock), 78 refused.
 */
import { closeSync } from 'node:fs';
import { limits } from '../limits.ts';
import { appPaths } from '../../schema/server-paths.ts';
import { readIfThere, unlinkIfThere } from '../atomic-file.ts';
import { closeInheritedDescriptors } from '../descriptors.ts';
import { faultPoint } from '../faults.ts';
import { appIdFault } from '../../schema/app-id.ts';
import { kitRoot, placeFrom } from '../place.ts';
import { tellsVersion } from '../version.ts';
import { identityOf, isOfApp, markedEnviron, processesOf, readPidFile, sameProcess, signal, writePidFile } from '../processes.ts';
import { claimHolder } from './claim.ts';
import { appMark, gpuRootFrom } from './environment.ts';
import { prepareLaunch, type Launch } from './launch.ts';
import { wishByHand } from './manual-start.ts';
import { writeMarker } from './marker.ts';
import { appendToRunLog } from './run-log.ts';
import { exitCodes } from './exit-codes.ts';

function say(text: string): void {
  process.stderr.write(`svc-app-run: ${text}\n`);
}

/** Becomes the backend. The shell only opens run.log as 1 and 2; node leaves two signals ignored, env gives them back. */
function become(launch: Launch, runLog: string): never {
  closeSync(launch.logFd);
  process.chdir(launch.cwd);
  // Our own lock on the card ends with the exec, so the shell takes it again, for the app's life. If another app took it in between, the
  // start is repeated.
  const waitSeconds = limits.gpuLeaseWaitMsMax / 1_000;
  const redirect = [
    'lease=$1; log=$2; shift 2',
    `if [ -n "$lease" ]; then exec 9<"$lease"; flock -w ${waitSeconds} -x 9 || { echo 'svc: another app took the GPU in the same instant' >>"$log"; exit ${exitCodes.leaseLost}; }; fi`,
    'exec "$@" </dev/null >>"$log" 2>&1',
  ].join('\n');
  const command = ['/usr/bin/env', '--default-signal=PIPE,XFSZ', ...launch.argv];
  if (process.execve === undefined) throw new Error('this Node has no process.execve');
  process.execve('/bin/sh', ['/bin/sh', '-c', redirect, 'sh', launch.lease?.path ?? '', runLog, ...command], launch.environment);
  throw new Error('unreachable: execve does not come back');
}

async function main(argv: readonly string[]): Promise<number> {
  if (tellsVersion(argv)) return exitCodes.up;
  const [app, ...rest] = argv;
  const fault = app === undefined || rest.length > 0 ? 'usage: svc-app-run ID (an app id: a-z, 0-9, -)' : appIdFault(app);
  if (app === undefined || fault !== null) {
    say(fault ?? '');
    return exitCodes.usage;
  }
  const place = placeFrom(process.env);
  const paths = appPaths(place, app);
  const mark = { app, socket: appMark(place, app).SVC_APP_SOCKET };
  const self = identityOf(process.pid);
  if (self === null || markedEnviron(process.pid, mark) === null) {
    say('start it through bin/svc-app-run');
    return exitCodes.usage;
  }
  if (claimHolder(paths.dir) !== null) return exitCodes.busy;
  const running = readPidFile(paths.runPid);
  if (running !== null && !sameProcess(running, self) && isOfApp(running, mark)) return exitCodes.up;
  // Leftovers of an interrupted launcher (an installCommand that continues) must not run beside ours.
  for (const stray of processesOf(mark)) if (!sameProcess(stray.identity, self)) signal(stray.identity.pid, 'SIGKILL');

  wishByHand(place, app, process.env);
  const result = await prepareLaunch({
    place,
    app,
    kitRoot: kitRoot(process.env, import.meta.dirname),
    nodeExecutable: process.execPath,
    caller: process.env,
    self,
    nowMs: () => Date.now(),
    maySetUp: true,
    onStep: () => {},
    gpuRoot: gpuRootFrom(process.env),
  });
  if (result.kind === 'up') return exitCodes.up;
  if (result.kind === 'refused') {
    say(`${result.refusal.reason}: ${result.refusal.message}`);
    writeMarker(paths.comingUp, { process: self, step: 'package', detail: '', atMs: Date.now(), refusal: result.refusal });
    return exitCodes.refused;
  }
  if (result.kind === 'set-up-due') throw new Error('unreachable: the launcher may set up');
  // A stop that came while we prepared took the wish away.
  if (readIfThere(paths.env) === null) {
    appendToRunLog(paths.runLog, 'not started: stopped while it was coming up');
    unlinkIfThere(paths.comingUp);
    return exitCodes.refused;
  }
  writePidFile(paths.runPid, self);
  faultPoint('pid-written');
  unlinkIfThere(paths.comingUp);
  faultPoint('marker-removed');
  closeInheritedDescriptors();
  return become(result, paths.runLog);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = exitCodes.refused;
}
