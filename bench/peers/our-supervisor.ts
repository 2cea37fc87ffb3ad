/** Our supervisor as the portal starts it, attached to by the portal's own link: subscribed, and asked every ten seconds. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../controller/clock/system.ts';
import { createLocalHost } from '../../controller/hosts/local.ts';
import { createSupervisorLink, type SupervisorLink } from '../../controller/observe/supervisor-link.ts';
import { limits } from '../../schema/limits.ts';
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

export function ourManager(): Manager {
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
      const host = createLocalHost({ server: 'casa', prefix: folder, binDir, clock: systemClock, onBadPackage: () => undefined });
      await mkdir((await host.place('ana')).home, { recursive: true });
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
