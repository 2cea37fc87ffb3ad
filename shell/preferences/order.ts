/** The order of what a person keeps: apps in the taskbar, folders in the sidebar. */

/** With `item` right beside `other`; null where one of them is not in it, or nothing changes. */
export function movedBeside(list: readonly string[], item: string, other: string, side: 'before' | 'after'): string[] | null {
  const rest = list.filter((each) => each !== item);
  const at = rest.indexOf(other);
  if (at === -1 || rest.length === list.length) return null;
  const moved = rest.toSpliced(side === 'before' ? at : at + 1, 0, item);
  return moved.every((each, index) => each === list[index]) ? null : moved;
}
