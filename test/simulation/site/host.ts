/** A server of the model as a host of the product: every call is late, may fail, hangs while the server is away, and is unheard by a portal that died. */
import path from 'node:path';
import { duplexPair, type Duplex } from 'node:stream';
import { SvcError } from '../../../schema/errors.ts';
import { pause } from '../../../schema/clock.ts';
import type { Host, InstalledPackage } from '../../../controller/hosts/host.ts';
import { memoryHost } from '../../../controller/hosts/testing/memory-host.ts';
import { answerOf } from '../orders.ts';
import type { ProcessClock } from '../portals/process.ts';
import { bootSupervisor, end, notice } from '../server-model.ts';
import { nameOf } from '../leaving-model.ts';
import { violate, type AppModel, type Installed, type PersonModel, type ServerModel } from '../world.ts';
import { checkRemoved } from './checks.ts';
import { dialSupervisor, hashOf, pushChange } from './lines.ts';
import { count, type Site } from './site.ts';

const packageOf = ({ manifest, hash }: Installed): InstalledPackage => ({
  app: manifest.id,
  version: manifest.version,
  hash: hashOf(hash),
  delivered: hashOf(hash),
  scope: 'sistema',
  previous: null,
  manifest,
});

async function there(site: Site, server: ServerModel): Promise<void> {
  if (server.reachable) return;
  await pause(site.world.clock, site.chance(`away ${server.name}`).int(1_000, 10_000));
  if (!server.reachable) throw new SvcError('SERVER_UNREACHABLE', 'no route to host');
}

export function hostOf(site: Site, server: ServerModel, process: ProcessClock): Host {
  const { world } = site;
  const personOf = (account: string): PersonModel => {
    const person = server.people.find(({ name }) => name === account);
    if (person === undefined) throw new SvcError('NOT_FOUND', `no account ${account}`);
    return person;
  };
  return {
    ...memoryHost([]),
    server: server.name,
    place: async (account) => {
      await there(site, server);
      return { home: `/home/${personOf(account).name}`, prefix: '' };
    },
    dial: async (account, socketPath) => {
      await there(site, server);
      const person = personOf(account);
      return socketPath.endsWith('/supervisor.sock')
        ? dialSupervisor(site, person, process)
        : dialApp(
            site,
            person.apps.find(({ id }) => socketPath.includes(`/${id}/`))!,
          );
    },
    startSupervisor: (account) => startSupervisor(site, server, personOf(account)),
    installed: () => packagesOn(site, server),
    closed: async (accounts) =>
      new Map(accounts.flatMap((name) => (site.closedAccounts.has(name) ? [[name, site.closedAccounts.get(name)!]] : []))),
    install: async (source, _scope, _account, run) => {
      await there(site, server);
      const id = source.kind === 'folder' ? path.basename(source.path) : '';
      return await installOn(
        site,
        server.packages.find(({ manifest }) => manifest.id === id)!,
        run?.signal,
      );
    },
    confirm: async () => undefined,
    remove: async (app) => {
      await there(site, server);
      const installed = server.packages.find(({ manifest }) => manifest.id === app)!;
      checkRemoved(site, installed);
      await pause(site.world.clock, site.chance(`remove ${app}`).int(50, 5_000));
      installed.present = false;
      for (const one of instancesOf(installed)) {
        notice(world, one);
        pushChange(site, one);
      }
    },
    onDoubt: (listener) => {
      const all = site.doubts.get(server) ?? new Set();
      site.doubts.set(
        server,
        all.add(() => process.gate(listener)),
      );
    },
  };
}

async function packagesOn(site: Site, server: ServerModel): Promise<readonly InstalledPackage[]> {
  const { weather } = site;
  await there(site, server);
  if (weather.failingLooks > 0) {
    weather.failingLooks -= 1;
    count(site, 'looks at packages that fail');
    throw new SvcError('TIMEOUT', 'the server did not answer');
  }
  const found = server.packages.filter(({ present }) => present).map(packageOf);
  const isNear = site.world.clock.monotonicMs() < (site.installing.get(server) ?? -Infinity);
  if (weather.slowLooks > 0 && (isNear || site.chance('which look is slow').chance(0.2))) {
    weather.slowLooks -= 1;
    count(site, 'looks at packages that are slow');
    await pause(site.world.clock, site.chance('slow looks').int(2_000, 20_000));
  }
  return found;
}

async function startSupervisor(site: Site, server: ServerModel, person: PersonModel): Promise<void> {
  const { weather, world } = site;
  await there(site, server);
  if (weather.failingStarts > 0) {
    weather.failingStarts -= 1;
    count(site, 'supervisors that do not start');
    throw new SvcError('TIMEOUT', 'the supervisor did not come up');
  }
  if (weather.hangingStarts > 0) {
    weather.hangingStarts -= 1;
    count(site, 'starts of supervisors that hang');
    await pause(site.world.clock, site.chance('hanging starts').int(5_000, 40_000));
  }
  await pause(site.world.clock, site.chance(`start ${person.name}`).int(30, 120));
  if (person.supervisor === null) bootSupervisor(world, person);
}

export const instancesOf = ({ server, manifest }: Installed): readonly AppModel[] =>
  server.people.flatMap(({ apps }) => apps.filter(({ id }) => id === manifest.id));

async function installOn(site: Site, installed: Installed, signal: AbortSignal | undefined): Promise<InstalledPackage> {
  const { world, weather } = site;
  const { clock } = world;
  const takesMs = site.chance(`install ${installed.manifest.id}`).int(50, 5_000);
  // A look that begins then may tell of before.
  site.installing.set(installed.server, clock.monotonicMs() + takesMs + 1_500);
  await pause(clock, takesMs);
  if (signal?.aborted) throw new SvcError('CANCELLED', 'the installation was ended');
  if (site.refusing.has(installed.server)) {
    count(site, 'installations that are refused');
    throw new SvcError('PACKAGE_REFUSED', 'no file of it may be run there');
  }
  if (weather.failingInstalls > 0) {
    weather.failingInstalls -= 1;
    count(site, 'installations that fail');
    throw new SvcError('SERVER_UNREACHABLE', 'the installer was cut off');
  }
  if (installed.present) violate(world, `${nameOf(installed)} is installed although it is there`);
  installed.present = true;
  installed.hash = `hash-${clock.monotonicMs()}`;
  for (const app of instancesOf(installed)) {
    for (const process of app.processes) end(world, app, process, 'Reinstalled');
    notice(world, app);
  }
  return packageOf(installed);
}

/** The socket of an app: answers as its process behaves, refuses where none listens. */
function dialApp(site: Site, app: AppModel): Duplex {
  const [process] = app.processes;
  if (process?.listening !== true) throw new SvcError('APP_NOT_RUNNING', 'connection refused');
  const [ours, theirs] = duplexPair();
  ours.on('error', () => undefined);
  theirs.on('error', () => undefined);
  const hangs = process.behaviour === 'slow' && site.chance(`probe ${app.key}`).chance(0.2);
  theirs.once('data', () => {
    if (hangs) return;
    const { clock } = site.world;
    clock.at(clock.monotonicMs() + site.chance(`probe ${app.key}`).int(1, 30), () => {
      site.activity += 1;
      const { code, byGate } = answerOf(app);
      if (code === 0) {
        theirs.destroy();
        return;
      }
      const gate = byGate ? 'X-Svc-Token: recusado\r\n' : '';
      theirs.end(`HTTP/1.1 ${code} Said\r\n${gate}Content-Length: 0\r\nConnection: close\r\n\r\n`);
    });
  });
  return ours;
}
