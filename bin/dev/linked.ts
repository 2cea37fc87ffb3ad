/**
 * The author's folder as an installed package: a folder of links to what is in it, and the last manifest without errors as a file. Launcher,
 * supervisor and controller meet an installed package like any other; what is written is there at once, tracebacks name the author's files,
 * and the hash of the package changes with the manifest only. Decision: docs/decisions/0244-svc-dev.md
 */
import { mkdir, readdir, readlink, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Host } from '../../controller/hosts/host.ts';
import { readPackageFile } from '../../controller/hosts/package-folder.ts';
import { writeFileAtomic } from '../../kit/atomic-file.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';

const manifestFile = 'svc-app.json';

/** Answers the manifest as it is there now. Other folders of links beside it were those of an earlier id. */
export async function linkFolder(systemApps: string, folder: string, manifest: Manifest): Promise<Manifest> {
  const target = path.join(systemApps, manifest.id);
  for (const name of await readdir(systemApps).catch(() => [])) {
    if (name !== manifest.id) await rm(path.join(systemApps, name), { recursive: true, force: true });
  }
  await mkdir(target, { recursive: true, mode: 0o755 });
  await followEntries(target, folder);
  const there = inPlace(manifest, folder);
  writeFileAtomic(path.join(target, manifestFile), `${JSON.stringify(there, null, 2)}\n`, { mode: 0o644 });
  return there;
}

/** Links each entry at the top of the folder. */
export async function followEntries(target: string, folder: string): Promise<void> {
  const wanted = new Set((await readdir(folder)).filter((name) => name !== manifestFile && name !== '.git'));
  for (const name of await readdir(target)) {
    if (name === manifestFile) continue;
    const to = await readlink(path.join(target, name)).catch(() => null);
    if (to === path.join(folder, name) && wanted.delete(name)) continue;
    // An entry that is no link of ours was left by the app in its package.
    if (to !== null || wanted.has(name)) await rm(path.join(target, name), { recursive: true, force: true });
  }
  for (const name of wanted) await symlink(path.join(folder, name), path.join(target, name));
}

/** It makes files where the author's are, as it does in an installed package. */
function inPlace(manifest: Manifest, folder: string): Manifest {
  const { installCommand } = manifest.backend;
  if (installCommand === undefined) return manifest;
  const command = `cd '${folder.replaceAll("'", String.raw`'\''`)}' && {\n${installCommand}\n}`;
  return { ...manifest, backend: { ...manifest.backend, installCommand: command } };
}

/** Files of the package that the portal shows by itself (icons, scripts for Settings) are read where they are, not through links. */
export function withFolder(app: string, folder: string): (host: Host) => Host {
  return (host) => ({
    ...host,
    packageFile: async (account, id, scope, file) =>
      id === app && scope === 'sistema' ? await readPackageFile(folder, file) : await host.packageFile(account, id, scope, file),
  });
}
