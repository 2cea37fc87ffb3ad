/** What is known of a version that is only offered. */
import type { Manifest } from './manifest.ts';

/** What the shop and the installer need to know before they download: these fields of the manifest, as they stand there. */
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
