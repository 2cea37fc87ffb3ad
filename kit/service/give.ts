/**
 * The state folder of a server-scope app from one account to another, as root: its owner so far may exchange anything in it at any moment, so
 * it is closed to them from above, each folder before it is looked into, and only what can't change any more gets its new owner.
 * Decision: docs/decisions/0125-root-follows-no-link-of-others.md
 */
import { closeSync, fchmodSync, fchownSync, lchownSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import { openFolder, pathOf, within } from '../beneath.ts';

/** Owned by root and closed to others; its content is unchanged. */
export function closeFolder(path: string): void {
  const fd = openFolder(path);
  try {
    close(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Everything in the folder, links themselves and never their targets. A file with another hard link outside is left to root: it may belong
 * to another account. The folder itself comes last, so that an interrupted run is seen at its top.
 */
export function giveTree(path: string, uid: number, gid: number): void {
  const root = openFolder(path);
  try {
    const names = new Map<string, number>();
    walk(root, 0, (fd) => {
      close(fd);
      for (const { stat } of entriesOf(fd)) if (hasMoreNames(stat)) names.set(idOf(stat), (names.get(idOf(stat)) ?? 0) + 1);
    });
    // Nothing in it moves any more.
    walk(root, 0, (fd) => {
      for (const { name, stat } of entriesOf(fd)) {
        const isForeign = hasMoreNames(stat) && names.get(idOf(stat)) !== stat.nlink;
        if (!stat.isDirectory() && !isForeign) lchownSync(within(fd, name), uid, gid);
      }
      return () => fchownSync(fd, uid, gid);
    });
  } finally {
    closeSync(root);
  }
}

const hasMoreNames = (stat: Stats): boolean => !stat.isDirectory() && stat.nlink > 1;
const idOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

function close(fd: number): void {
  fchownSync(fd, 0, 0);
  fchmodSync(fd, 0o700);
}

/** Folders from above; what `act` answers is done when all below is. */
function walk(fd: number, depth: number, act: (fd: number) => (() => void) | void): void {
  if (depth > limits.stateDepthMax)
    throw new SvcError('SCOPE_REFUSED', `the state folder of the app is deeper than ${limits.stateDepthMax} folders: move it aside first`);
  const after = act(fd);
  for (const { name, stat } of entriesOf(fd)) {
    if (!stat.isDirectory()) continue;
    const inner = openFolder(within(fd, name));
    try {
      walk(inner, depth + 1, act);
    } finally {
      closeSync(inner);
    }
  }
  if (after !== undefined) after();
}

/** A name that is no UTF-8 can't be asked for, and stays root's. */
function entriesOf(fd: number): readonly { readonly name: string; readonly stat: Stats }[] {
  return readdirSync(pathOf(fd)).flatMap((name) => {
    const stat = lstatSync(within(fd, name), { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ name, stat }];
  });
}
