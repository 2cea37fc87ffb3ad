/** A portal without its bundles would serve no page, and install packages whose built files are missing. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';

/** A file of each bundle that pages, servers and the command line need, below the folder of svc. */
export const builtFiles = [
  'build/shell/index.html',
  'build/sdk/web/svc.js',
  'build/kit/svc-app-supervisor.cjs',
  'build/bin/svc.mjs',
] as const;

/** Throws NOT_BUILT with the line that builds. Before anything is made: `svc up`, `svc dev`. */
export function requireBuild(root = path.resolve(import.meta.dirname, '../..')): void {
  const missing = builtFiles.find((file) => !existsSync(path.join(root, file)));
  if (missing !== undefined)
    throw new SvcError(
      'NOT_BUILT',
      `${missing} is not there: this svc was not built; build it with: (cd ${root} && sh setup/ready.sh start)`,
    );
}
