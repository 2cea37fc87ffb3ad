/**
 * The author's folder as publishing would ship it: packed by the publishing code into a repository of `svc dev`, and installed by a Package
 * document, on this machine or on a server. An install is idempotent for each version, so each change is one: `<version>+dev.<time>`.
 */
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Host } from '../../controller/hosts/host.ts';
import { writeFileAtomic } from '../../kit/atomic-file.ts';
import { publishApp } from '../../kit/repository/publishing/publish.ts';
import { SvcError } from '../../schema/errors.ts';
import { readPlainFile } from '../../schema/plain-file.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { keys } from '../../schema/keys.ts';
import { untilInstalled, type Delivery, type Where } from './delivery.ts';
import { packageName, writePortal } from './desired.ts';

const manifestFile = 'svc-app.json';

export interface PackedWhere extends Where {
  readonly mode: 'packed' | 'server';
  readonly server: string;
  readonly desired: string;
  readonly first: Manifest;
  readonly nowMs: () => number;
}

export function packedDelivery({ app, folder, state, person, mode, server, desired, first, nowMs }: PackedWhere): Delivery {
  const repositories = path.join(state, 'repository');
  let inForce = first;
  const publish = async (): Promise<string> => {
    const atMs = nowMs();
    const repository = path.join(repositories, atMs.toString(36));
    const version = await publishAs(folder, { repository, workshop: path.join(state, 'tmp'), nowMs: atMs });
    writePortal(desired, server, { app, version, repository });
    return version;
  };
  let prepared: string | null = null;
  return {
    mode,
    host: (host: Host) => host,
    manifest: () => inForce,
    prepare: async () => {
      // Removes the repositories of earlier runs; installed packages stay.
      await rm(repositories, { recursive: true, force: true });
      prepared = await publish();
    },
    put: async (gateway, manifest, overtaken) => {
      const version = prepared ?? (await publish());
      prepared = null;
      await gateway.commands.admin.apply(false);
      await untilInstalled(() => isInstalled(gateway, { app, person, version }), overtaken);
      inForce = manifest ?? inForce;
      for (const name of await readdir(repositories))
        if (!version.endsWith(`.${name}`)) await rm(path.join(repositories, name), { recursive: true });
    },
    isLive: false,
    own: (text) => text,
  };
}

function isInstalled(
  gateway: Gateway,
  { app, person, version }: { readonly app: string; readonly person: string; readonly version: string },
): boolean {
  if (gateway.apps.manifest(person, app)?.version === version) return true;
  const object = gateway.admin.objects(keys.package(packageName(app)))[0];
  if (object?.state === 'failed' || object?.state === 'refused')
    throw new SvcError('PACKAGE_REFUSED', `${object.reason}: ${object.message}`);
  return false;
}

interface Publishing {
  readonly repository: string;
  readonly workshop: string;
  readonly nowMs: number;
}

/** The version that it has in the repository. Rejects what publishing rejects, and PACKAGE_REFUSED for a manifest with errors. */
async function publishAs(folder: string, { repository, workshop, nowMs }: Publishing): Promise<string> {
  const checked = await publishApp(folder, { destination: null, nowMs });
  if (checked.tarball === null) throw new SvcError('PACKAGE_REFUSED', 'svc-app.json has errors');
  await mkdir(workshop, { recursive: true, mode: 0o700 });
  const copy = await mkdtemp(path.join(workshop, 'copy-'));
  try {
    for (const { path: name } of checked.entries) {
      if (name.endsWith('/')) await mkdir(path.join(copy, name), { recursive: true });
      else if (name !== manifestFile) await copyFile(path.join(folder, name), path.join(copy, name));
    }
    // Files that .svcignore takes in again count for the copy, too; it goes into no package.
    await copyFile(path.join(folder, '.svcignore'), path.join(copy, '.svcignore')).catch(() => undefined);
    const manifest = JSON.parse(String(await readPlainFile(path.join(folder, manifestFile)))) as Manifest;
    const version = `${manifest.version}${manifest.version.includes('+') ? '.' : '+'}dev.${nowMs.toString(36)}`;
    writeFileAtomic(path.join(copy, manifestFile), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
    await publishApp(copy, { destination: { kind: 'folder', dir: repository }, nowMs });
    return version;
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
