/** The acts of a desktop: one for all its windows of files, which share what was copied, what goes on and what can be undone. */
import { createFileActs, type FileActs } from './acts.ts';
import { placeName } from './place-name.ts';
import type { OpeningDesk } from '../opening/model.ts';
import type { Signal } from '../state/signal.ts';

export interface FilesDesk extends OpeningDesk {
  /** The person's own folder, once it is known. */
  readonly homePath: Signal<string | null>;
}

const made = new WeakMap<FilesDesk, FileActs>();

export function actsOf(desk: FilesDesk): FileActs {
  const known = made.get(desk);
  if (known !== undefined) return known;
  const acts = createFileActs(
    (words) => desk.announcement.set(words),
    (path) => placeName(path, desk.homePath.get()),
  );
  made.set(desk, acts);
  return acts;
}
