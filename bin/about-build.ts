/** Which build this is, as `npm run pack` wrote it; a checkout has no such file. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Below the folder of svc. */
export const aboutBuildFile = 'build/about.json';

export interface AboutBuild {
  /** Eight digits; null where it was not packed from a clone. */
  readonly commit: string | null;
  /** As bin/up/build-name.ts makes it. */
  readonly name: string;
}

/** Null in a checkout. */
export function aboutBuild(): AboutBuild | null {
  try {
    return JSON.parse(readFileSync(path.resolve(import.meta.dirname, '..', aboutBuildFile), 'utf8')) as AboutBuild;
  } catch {
    return null;
  }
}
