/** The order of what a person keeps: apps in the taskbar, folders in the sidebar. */

import type { MenuItem } from '../ui/menu.ts';

type Side = 'before' | 'after';

/** With `item` right beside `other`; null where one of them is not in it, or nothing changes. */
export function movedBeside(list: readonly string[], item: string, other: string, side: Side): string[] | null {
  const rest = list.filter((each) => each !== item);
  const at = rest.indexOf(other);
  if (at === -1 || rest.length === list.length) return null;
  const moved = rest.toSpliced(side === 'before' ? at : at + 1, 0, item);
  return moved.every((each, index) => each === list[index]) ? null : moved;
}

/** Menu entries that move an item one place back and one on, where there is a place. `shown`: the part of the list that the person sees. */
export function moveItems(
  shown: readonly string[],
  item: string,
  [back, on]: readonly [string, string],
  move: (other: string, side: Side) => void,
): readonly MenuItem[] {
  const at = shown.indexOf(item);
  if (at === -1) return [];
  const step = (label: string, other: string | undefined, side: Side): readonly MenuItem[] =>
    other === undefined ? [] : [{ label, run: () => move(other, side) }];
  return [...step(back, shown[at - 1], 'before'), ...step(on, shown[at + 1], 'after')];
}
