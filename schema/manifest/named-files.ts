/** The files of the package that a manifest names: whoever looks for them asks here. `engine.loader` is a path of the backend, which may serve it from anywhere. */
import type { Manifest } from './manifest.ts';

export interface NamedFile {
  readonly name: string;
  /** Where the manifest names it. */
  readonly at: readonly (string | number)[];
}

/** The files that the portal serves. Source: rules 2.1 `icon`, `contributes.settings`, 2.5 `icone`. */
export function servedFiles({ icon, contributes, opens }: Manifest): readonly NamedFile[] {
  const named = (name: string | undefined, at: NamedFile['at']): readonly NamedFile[] => (name === undefined ? [] : [{ name, at }]);
  return [
    ...named(icon, ['icon']),
    ...named(contributes?.settings, ['contributes', 'settings']),
    ...(opens?.proprios ?? []).flatMap(({ icone }, index) => named(icone, ['opens', 'proprios', index, 'icone'])),
  ];
}
