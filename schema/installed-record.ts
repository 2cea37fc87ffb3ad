/**
 * The record that an installation leaves beside a package folder (`.versions/<id>/<tag>.json`): the installer writes it, the portal reads it to tell
 * a changed file from one that the package's own installCommand made. Decision: docs/decisions/0060-versions-side-by-side.md
 */
export interface InstalledRecord {
  readonly version: string;
  /** packageHash of what was delivered: the same as that of the package in the repository. */
  readonly deliveredHash: string;
  /** packageHash of the folder after the root phase of installCommand: a different one on disk means that a file was changed. */
  readonly installedHash: string;
  readonly installedAtMs: number;
}

/** Null when it is not in our format: then the bytes on disk are what counts. */
export function readInstalledRecord(text: string): InstalledRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { version, deliveredHash, installedHash, installedAtMs } = value as Record<string, unknown>;
  if (typeof version !== 'string' || typeof installedAtMs !== 'number' || !isHash(deliveredHash) || !isHash(installedHash)) return null;
  return { version, deliveredHash, installedHash, installedAtMs };
}

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
