/** `eval "$(svc env)"`: python3 and node of this terminal find the runtime library, as the launcher makes them on a server (spec 2.6). */
import path from 'node:path';
import { kitRoot, sdkFolder } from '../../kit/place.ts';
import { write } from '../output.ts';

/** Lines that sh, bash, zsh and fish read in the same way. Folders that are on a path already stay where they are. */
export function runEnv(env: Readonly<Record<string, string | undefined>>): void {
  const sdk = sdkFolder(kitRoot(env, import.meta.dirname));
  for (const [name, folder] of [
    ['PYTHONPATH', path.join(sdk, 'python')],
    ['NODE_PATH', path.join(sdk, 'node')],
  ] as const) {
    const others = (env[name] ?? '').split(':').filter((one) => one !== '' && one !== folder);
    write(`export ${name}='${[folder, ...others].join(':').replaceAll("'", String.raw`'\''`)}'\n`);
  }
}
