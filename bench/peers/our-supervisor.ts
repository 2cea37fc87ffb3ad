/** Our supervisor as the portal starts it, attached to by the portal's own link: subscribed, and asked every ten seconds. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../controller/clock/system.ts';
import { createLocalHost } from '../../controller/hosts/local.ts';
import { createSupervisorLink, type SupervisorLink } from '../../controller/observe/supervisor-link.ts';
import { limits } from '../../schema/limits.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import { inspectable, inspectPid, type Inspected } from '../inspected.ts';
import { backendScript, type Manager } from './manager.ts';

const binDir = resolve(import.meta.dirname, '../../bin');

async function writePackage(folder: string, app: string): Promise<void> {
  const dir = join(folder, 'opt/svc-apps', app);
  await mkdir(join(dir, 'backend'), { recursive: true });
  await writeFile(
    join(dir, 'svc-app.json'),
    JSON.stringify({ id: app, version: '1.0.0', backend: { runtime: 'binary', entrypoint: 'backend/run.pl', aoFechar: 'manter' } }),
  );
  // Started without a shell between, as with the peers.
  await writeFile(join(dir, 'backend/run.pl'), backendScript(folder), { mode: 0o755 });
}

async function untilStopped(link: SupervisorLink): Promise<void> {
  for (let turn = 0; turn < 1_000; turn += 1) {
    if (link.snapshots().every(({ process }) => process === null)) return;
    await sleep(20);
  }
  throw new Error('bench: the apps did not end within 20 s');
}

/** A supervisor gets nothing of the environment that is not named for it: this starts the one that ships with an inspector that can be opened. */
async function writeInspectable(folder: string): Promise<string> {
  const dir = join(folder, 'bin');
  await mkdir(dir);
  // The program passes NODE_OPTIONS by, as all of the kit do: its Node is one that has the option.
  const node = join(dir, 'node');
  await writeFile(node, `#!/bin/sh\nexec '${process.execPath}' ${inspectable.NODE_OPTIONS} "$@"\n`, { mode: 0o755 });
  const lines = ['#!/bin/sh', `export SVC_NODE='${node}'`, `exec '${binDir}/svc-app-supervisor' "$@"`, ''];
  await writeFile(join(dir, 'svc-app-supervisor'), lines.join('\n'), { mode: 0o755 });
  return dir;
}

interface InspectableManager extends Manager {
  /** The supervisor; once. */
  inspected(): Promise<Inspected>;
}

/** Started with an inspector that `inspected` opens. */
export function inspectableManager(): InspectableManager {
  let log = '';
  const manager = managerBy(writeInspectable, (file) => (log = file));
  return { ...manager, inspected: async () => await inspectPid(manager.managerPids()[0] ?? 0, () => readFileSync(log, 'utf8')) };
}

export const ourManager = (): Manager => managerBy(() => binDir);

function managerBy(binOf: (folder: string) => Promise<string> | string, onLog: (file: string) => void = () => undefined): Manager {
  let link: SupervisorLink | null = null;
  let check: NodeJS.Timeout | null = null;
  let pid = 0;
  let names: readonly string[] = [];
  let requests = 0;
  const start = async (app: string): Promise<void> => {
    requests += 1;
    const order = { token: 'bench-token', basePath: '/', pinned: false, requestId: `bench-${requests}`, variables: {} };
    await link!.ask({ op: 'start', app, ...order });
  };
  return {
    name: 'svc-app-supervisor',
    async start(folder, apps) {
      names = apps;
      for (const app of apps) await writePackage(folder, app);
      const bin = await binOf(folder);
      const host = createLocalHost({ server: 'casa', prefix: folder, binDir: bin, clock: systemClock, onBadPackage: () => undefined });
      const place = await host.place('ana');
      await mkdir(place.home, { recursive: true });
      onLog(accountPaths(place).supervisorLog);
      const attached = createSupervisorLink({
        person: 'ana',
        account: 'ana',
        host,
        clock: systemClock,
        leader: null,
        starts: true,
        onChange: () => undefined,
      });
      link = attached;
      await attached.ensure();
      pid = attached.view().supervisor?.pid ?? 0;
      check = setInterval(() => void attached.check(), limits.supervisorScanMs);
      for (const app of apps) await start(app);
    },
    managerPids: () => [pid],
    reset: start,
    async stop() {
      if (check !== null) clearInterval(check);
      if (link === null) return;
      for (const app of names) await link.ask({ op: 'stop', app, requestId: `bench-stop-${app}`, reason: 'StoppedByAdmin' });
      await untilStopped(link);
      await link.ask({ op: 'quit' });
      link.close();
    },
  };
}
