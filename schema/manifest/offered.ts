/** The known fields of a version that is only offered. */
import type { Manifest } from './manifest.ts';

/** The fields of the manifest, unchanged, that the shop and the installer need before a download. */
export const catalogueFields = [
  'name',
  'type',
  'kind',
  'escopo',
  'description',
  'category',
  'icon',
  'developer',
  'publisher',
  'homepage',
  'license',
  'provides',
  'requires',
  'usa',
  'requiredPackages',
  'minShellVersion',
  'instalacao',
  'motores',
  'recursos',
  'gpu',
] as const satisfies readonly (keyof Manifest)[];

export type CatalogueManifest = Pick<Manifest, (typeof catalogueFields)[number]>;
