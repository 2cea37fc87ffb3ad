/** The desired folder of a simulated site, and its repository: real files, which the product reads. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { keys } from '../../../schema/keys.ts';
import type { ServerModel, World } from '../world.ts';
import { checkTaken } from './checks.ts';
import { doubleOf, packageName, type Site } from './site.ts';

type Drawn = Pick<Site, 'world' | 'dir' | 'repository' | 'doubles' | 'places'>;

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;

function textOf({ world, repository, doubles, places }: Drawn): string {
  const documents = [document('Portal', 'casa', `{ repository: ${repository} }`)];
  for (const server of world.servers)
    if (server.document === 'written')
      documents.push(document('Server', server.name, `{ local: { prefix: ${server.name}${places.get(server) ?? ''}, trusted: true } }`));
  for (const installed of world.packages)
    if (installed.document === 'written')
      documents.push(
        document('Package', packageName(installed), `{ app: ${installed.manifest.id}, versao: 1.0.0, server: ${installed.server.name} }`),
      );
  for (const { name, server, document: state } of world.people)
    if (state === 'written') documents.push(document('Person', name, `{ nome: ${name}, login: ${name}, server: ${server.name} }`));
  for (const [{ name, server }, state] of doubles)
    if (state === 'written')
      documents.push(document('Person', doubleOf(name), `{ nome: ${name}, login: ${name}, account: ${name}, server: ${server.name} }`));
  for (const app of world.apps)
    if (app.document !== null)
      documents.push(
        document('Backend', `${app.person.name}-${app.id}`, `{ app: ${app.id}, pessoa: ${app.person.name}, estado: ${app.document} }`),
      );
  return documents.join('---\n');
}

/** The server is reached in another way from now on, where its installer takes what comes. */
export function moveServer(site: Site, server: ServerModel): void {
  if (!site.refusing.delete(server)) return;
  site.places.set(server, (site.places.get(server) ?? 0) + 1);
  writeFolder(site, false);
}

/** As an administrator does who writes the file; where documents went, they say `svc apply --prune`, until it ends well. */
export function writeFolder(site: Site, isRemoval: boolean): void {
  putFolder(site);
  const { clock } = site.world;
  const nowMs = clock.monotonicMs();
  site.folderChangedAtMs = nowMs;
  clock.at(nowMs + 60_000, () => void checkTaken(site, nowMs).catch(() => undefined));
  site.isApplyDue ||= isRemoval;
  if (site.isApplyDue) return applyFolder(site);
  const { portal } = site;
  // The watcher of the folder sees the change.
  portal?.process.gate(() => portal.serving?.controller.context.queue.add(keys.portal('casa'), false));
}

export function putFolder(site: Drawn): void {
  const { dir } = site;
  writeFileSync(path.join(dir, 'new'), textOf(site));
  renameSync(path.join(dir, 'new'), path.join(dir, 'site.yaml'));
}

export function applyFolder(site: Site): void {
  const { portal } = site;
  portal?.process.gate(() => {
    portal.serving?.gateway.commands.admin.apply(true).then(
      ({ ok }) => void (site.isApplyDue &&= !ok),
      () => undefined,
    );
  });
}

export function putRepository(world: World, repository: string): void {
  for (const manifest of new Map(world.packages.map((one) => [one.manifest.id, one.manifest])).values()) {
    const folder = path.join(repository, manifest.id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'svc-app.json'), JSON.stringify(manifest));
    mkdirSync(path.join(folder, 'backend'), { recursive: true });
    writeFileSync(path.join(folder, 'backend/main.js'), '');
  }
}
