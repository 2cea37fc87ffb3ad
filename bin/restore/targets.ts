/** Where the entries of a snapshot go: the state folder, the desired folder, and the places outside of both that documents name. */
import path from 'node:path';
import type { Entry, Manifest } from '../../store/backup/manifest.ts';
import { isWithin } from '../backup/site.ts';
import { desiredPlaceFile } from '../up/remembered-desired.ts';

export interface Places {
  readonly stateDir: string;
  /** Null: the desired folder is not restored. */
  readonly desired: string | null;
}

/** A unit that one rename puts in its place: a file, or a folder of the state with all that is in it. */
export interface Part {
  readonly name: string;
  readonly to: string;
  readonly kind: 'database' | 'folder' | 'record' | 'file' | 'desired' | 'secret' | 'repository';
  readonly entries: readonly Entry[];
}

/** Folders that belong to the store: one from before is not mixed with one of the snapshot. */
const wholeFolders = new Set(['anexos', 'fila', 'audit']);

/** Written only where there is none: who did what since is not taken back, and a repository has a catalogue of its own. */
export const isKept = (kind: Part['kind']): boolean => kind === 'record' || kind === 'repository';

export function partsOf(manifest: Manifest, places: Places): readonly Part[] {
  const parts = new Map<string, Part & { readonly entries: Entry[] }>();
  for (const entry of manifest.entries) {
    const place = placeOf(entry, manifest, places);
    if (place === null) continue;
    const kind = entry.isDatabase === true ? 'database' : place.kind;
    const part = parts.get(place.to) ?? { ...place, kind, entries: [] };
    part.entries.push(entry);
    parts.set(place.to, part);
  }
  return [...parts.values()];
}

function placeOf(entry: Entry, manifest: Manifest, { stateDir, desired }: Places): Omit<Part, 'entries'> | null {
  const { root, path: name } = entry;
  if (root === 'state') {
    const [top = name] = name.split('/');
    // The folder that the portal is started with says it anew.
    if (name === desiredPlaceFile) return null;
    if (wholeFolders.has(top) && top !== name)
      return { name: `${top}/`, to: path.join(stateDir, top), kind: top === 'audit' ? 'record' : 'folder' };
    return { name, to: path.join(stateDir, name), kind: 'file' };
  }
  if (root === 'rows') return null;
  if (root === 'desired') return desired === null ? null : { name: `desired: ${name}`, to: path.join(desired, name), kind: 'desired' };
  const before = root === 'repository' ? path.resolve(manifest.repository ?? '/', name) : name;
  // Files from the desired folder moved with it.
  const isMoved = manifest.desired !== null && desired !== null && isWithin(manifest.desired, before);
  const to = isMoved ? path.join(desired, path.relative(manifest.desired, before)) : before;
  if (root === 'repository') return { name: `repository: ${name}`, to, kind: 'repository' };
  return { name, to, kind: 'secret' };
}
