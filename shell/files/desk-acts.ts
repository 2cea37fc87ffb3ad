/** The acts of a desktop: one for all its windows of files, which share what was copied, what goes on and what can be undone. */
import type { Desk } from '../desktop/desk.ts';
import { createFileActs, type FileActs } from './acts.ts';
import { placeName } from './place-name.ts';

const made = new WeakMap<Desk, FileActs>();

export function actsOf(desk: Desk): FileActs {
  const known = made.get(desk);
  if (known !== undefined) return known;
  const acts = createFileActs(
    (words) => desk.announcement.set(words),
    (path) => placeName(path, desk.homePath.get()),
  );
  made.set(desk, acts);
  return acts;
}
