/** `eval "$(svc env)"`: python3 and node of this terminal find the runtime library, and an entrypoint svc-wrap, as the launcher makes them on a server (rules 2.6). */
import path from 'node:path';
import { importFlags, kitRoot, sdkFolder } from '../../kit/place.ts';
import { write } from '../output.ts';

/** As this command wrote it, of whichever kit. */
const ownOption = /--require "(?:[^"\\]|\\.)*\/node\/svc\/import\.cjs" */g;

/** Lines that sh, bash, zsh and fish read in the same way. Folders that are on a path already, and options, stay where they are. */
export function runEnv(env: Readonly<Record<string, string | undefined>>): void {
  const kit = kitRoot(env, import.meta.dirname);
  const sdk = sdkFolder(kit);
  for (const [name, folder] of [
    ['PYTHONPATH', path.join(sdk, 'python')],
    ['NODE_PATH', path.join(sdk, 'node')],
  ] as const) {
    const others = (env[name] ?? '').split(':').filter((one) => one !== '' && one !== folder);
    exported(name, [folder, ...others].join(':'));
  }
  const programs = path.join(kit, 'bin');
  exported('PATH', [...(env['PATH'] ?? '').split(':').filter((one) => one !== '' && one !== programs), programs].join(':'));
  const [flag, file] = importFlags(kit);
  const others = (env['NODE_OPTIONS'] ?? '').replace(ownOption, '').trim();
  if (flag !== undefined) exported('NODE_OPTIONS', [`${flag} ${JSON.stringify(file)}`, others].join(' ').trim());
}

function exported(name: string, value: string): void {
  write(`export ${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`);
}
