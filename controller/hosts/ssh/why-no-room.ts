/**
 * Why an account can't write into a folder. OpenSSH's SFTP says "failure" for a quota that is used up, and `statvfs` knows of few quotas: a megabyte is
 * written by a shell of the account, which says the kernel's word, and is removed. Decision: docs/decisions/0233-quotas.md
 */
import { newId, newPrefix } from '../../files/placing.ts';
import { limits } from '../limits.ts';
import type { RemoteResult, RemoteRun } from './remote-run.ts';

/** ASCII only, whatever the bytes of the path are: printf makes them of octal numbers, and a dot keeps a newline at the end. */
function script(folder: Uint8Array): string {
  const octal = Array.from(folder, (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
  // The name of a killed shell's leftover is one that is swept.
  return `LC_ALL=C; export LC_ALL; umask 077; set -C
d=$(printf '%b.' '${octal}'); cd -- "\${d%.}" 2>/dev/null || exit 0
t=${newPrefix}${newId()}
said=$({ dd if=/dev/zero bs=65536 count=16 conv=fsync >"$t"; } 2>&1)
rm -f -- "$t"
case $said in *[Qq]'uota exceeded'*) echo EDQUOT ;; *'No space left'*) echo ENOSPC ;; esac
`;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Several writes fail at once: they ask together. Resolves null where the server runs no shell for the account, too. */
export function askWhyNoRoom(run: (command: RemoteRun) => Promise<RemoteResult>): (folder: Buffer) => Promise<string | null> {
  const underWay = new Map<string, Promise<string | null>>();
  const ask = async (folder: Buffer): Promise<string | null> => {
    let word: string | null = null;
    const onLine = (line: string): void => void (word = ['EDQUOT', 'ENOSPC'].includes(line) ? line : word);
    await run({ argv: ['sh', '-s'], stdin: once(script(folder)), onLine, msMax: limits.whyNoRoomMsMax }).catch(() => undefined);
    return word;
  };
  return (folder) => {
    const key = folder.toString('latin1');
    const asked =
      underWay.get(key) ??
      ask(folder).finally(() => {
        underWay.delete(key);
      });
    underWay.set(key, asked);
    return asked;
  };
}
