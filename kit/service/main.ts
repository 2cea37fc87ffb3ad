/**
 * kit/service/: apps of `escopo: servidor` (rules 2.1): one backend for all accounts, under the system account svc-<id>, started and restarted by
 * the service manager of the server. unit.ts is the unit, server-scope.ts puts it in place for the installer.
 *
 * This file, `svc-app-serve ID`: the same steps as a person's start (rules 3.1) as far as they apply, then it becomes the backend. There is no wish
 * (the unit is it), no SVC_APP_TOKEN (the socket takes every account), no secrets vault, and run.log is the journal. `--open ID` waits for the
 * socket and opens it; the unit is active from then on.
 *
 * Exit codes: 2 usage, 78 refused until somebody does something (the unit does not try again), 1 refused for now.
 */
import { chmodSync, lstatSync, mkdirSync, realpathSync, unlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountPaths, appPaths, serverAppPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { writeFileAtomic } from '../atomic-file.ts';
import { closeInheritedDescriptors } from '../descriptors.ts';
import { engineVariables } from '../launch/engines.ts';
import { backendEnvironment } from '../launch/environment.ts';
import { exitCodes } from '../launch/exit-codes.ts';
import { gpuMode } from '../launch/gpu.ts';
import { decideGpu, type GpuVerdict } from '../launch/gpu-verdict.ts';
import { refuseWithoutGpu, runtimeCommand } from '../launch/launch.ts';
import { cachedPackageHash } from '../launch/package-hash-cache.ts';
import { basePath } from '../launch/manual-start.ts';
import { readManifest } from '../launch/package.ts';
import { LaunchRefused } from '../launch/refusal.ts';
import { runSetUp, setUpDue } from '../launch/set-up.ts';
import { probeSocket } from '../launch/socket.ts';
import { appIdFault } from '../../schema/app-id.ts';
import { limits } from '../limits.ts';
import { kitRoot } from '../place.ts';
import { tellsVersion } from '../version.ts';
import { cardFor, isForGood } from './waiting.ts';

const socketPollMs = 50;

interface Ready {
  readonly argv: readonly [string, ...string[]];
  readonly environment: Record<string, string>;
  readonly cwd: string;
  /** Path that holds the card for as long as the backend lives; '' for none. */
  readonly lease: string;
}

async function prepare(app: string): Promise<Ready> {
  const { socket, state } = serverAppPaths(app);
  const place: ServerPlace = { home: state, prefix: '' };
  const paths = appPaths(place, app);
  // The system's package alone: what lies in the app's own data is the app's.
  const folder = realpathSync(`${accountPaths(place).systemApps}/${app}`);
  const manifest = readManifest(folder, app);
  if (manifest.escopo !== 'servidor') throw new LaunchRefused('InvalidManifest', 'svc-app.json does not say escopo: servidor');
  if ((await probeSocket(socket)) === 'orphan') unlinkSync(socket);
  mkdirSync(paths.dir, { recursive: true, mode: 0o700 });
  const mode = gpuMode(manifest);
  const own = { kitRoot: kitRoot(process.env, import.meta.dirname), nodeExecutable: process.execPath };
  const hash = await cachedPackageHash(folder, `${paths.dir}/package.hash`);
  const environment: Record<string, string> = {
    ...backendEnvironment({
      place,
      app,
      ...own,
      caller: process.env,
      wish: new Map([['SVC_APP_BASE_PATH', basePath(app)], ['SVC_APP_DATA_DIR', state], ...portalVariables(process.env)]),
      engines: engineVariables(place, manifest),
      hash,
      gpuDeclared: mode !== null,
    }),
    SVC_APP_SOCKET: socket,
  };
  const command = manifest.backend.installCommand;
  if (setUpDue(paths.setUpHash, hash, command, false)) {
    await runSetUp(command ?? '', { cwd: folder, environment, logFd: 1 });
    writeFileAtomic(paths.setUpHash, `${hash}\n`);
  }
  const note = (verdict: GpuVerdict | null): void =>
    writeFileAtomic(paths.limits, `${JSON.stringify({ contained: true, reason: '', limits: null, gpu: verdict }, null, 2)}\n`);
  if (mode === null) note(null);
  const gpu = mode === null ? null : await cardFor({ decide: () => decideGpu(mode, ''), note, nowMs: () => performance.now(), sleep });
  refuseWithoutGpu(gpu);
  return {
    argv: runtimeCommand(place, own, folder, manifest),
    environment: { ...environment, ...gpu?.variables },
    cwd: folder,
    lease: gpu?.lease?.path ?? '',
  };
}

/** Variables that the unit read from the portal's file (credential.ts). */
function portalVariables(environment: NodeJS.ProcessEnv): readonly (readonly [string, string])[] {
  return ['SVC_PORTAL_URL', 'SVC_PORTAL_TOKEN', 'SVC_PORTAL_SCOPES'].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
}

function become({ argv, environment, cwd, lease }: Ready): never {
  process.chdir(cwd);
  closeInheritedDescriptors();
  if (process.execve === undefined) throw new Error('this Node has no process.execve');
  // Our own hold on the card ends at exec, the shell's is handed on. Node leaves two signals ignored; env gives them back.
  const waitSeconds = limits.gpuLeaseWaitMsMax / 1_000;
  const script = `lease=$1; shift; if [ -n "$lease" ]; then exec 9<"$lease"; flock -w ${waitSeconds} -x 9 || exit 75; fi; exec "$@"`;
  const command = ['/usr/bin/env', '--default-signal=PIPE,XFSZ', ...argv];
  process.execve('/bin/sh', ['/bin/sh', '-c', script, 'sh', lease, ...command], environment);
  throw new Error('unreachable: execve does not come back');
}

/** Ends when the socket is there and open to every account (rules 5); the unit's own deadline ends a wait in vain. */
async function open(app: string): Promise<void> {
  const { socket } = serverAppPaths(app);
  for (;;) {
    const stat = lstatSync(socket, { throwIfNoEntry: false });
    if (stat?.isSocket() === true) {
      chmodSync(socket, 0o666);
      return;
    }
    await sleep(socketPollMs);
  }
}

function refuse(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`not started: ${error instanceof LaunchRefused ? `${error.refusal.reason}: ` : ''}${message}\n`);
  return isForGood(error) ? exitCodes.refused : 1;
}

async function main(argv: readonly string[]): Promise<number> {
  if (tellsVersion(argv)) return exitCodes.up;
  const [first, second, ...rest] = argv;
  const app = first === '--open' ? second : first;
  const isUsage = app === undefined || rest.length > 0 || (first !== '--open' && second !== undefined);
  const fault = isUsage ? 'usage: svc-app-serve [--open] ID   (called by the unit of a server-scope app)' : appIdFault(app);
  if (isUsage || fault !== null) {
    process.stderr.write(`${fault}\n`);
    return exitCodes.usage;
  }
  try {
    if (first === '--open') await open(app);
    else become(await prepare(app));
    return exitCodes.up;
  } catch (error) {
    return refuse(error);
  }
}

process.exitCode = await main(process.argv.slice(2));
