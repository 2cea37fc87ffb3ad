/** Which entries are chosen, and which one the keyboard is at. By path, so that a folder that is read anew keeps it. Pure. */
import type { FileItem } from '../../schema/wire/files.ts';

export interface Selection {
  readonly chosen: ReadonlyMap<string, FileItem>;
  /** The index that the keyboard is at. */
  readonly focus: number;
  /** Where a range begins. */
  readonly anchor: number;
}

export const nothingChosen: Selection = { chosen: new Map(), focus: 0, anchor: 0 };

const byPath = (items: readonly FileItem[]): ReadonlyMap<string, FileItem> => new Map(items.map((item) => [item.caminho, item]));

export const only = (item: FileItem | undefined, index: number): Selection => ({
  chosen: item === undefined ? new Map() : byPath([item]),
  focus: index,
  anchor: index,
});

export function toggled({ chosen }: Selection, item: FileItem | undefined, index: number): Selection {
  const next = new Map(chosen);
  if (item !== undefined && !next.delete(item.caminho)) next.set(item.caminho, item);
  return { chosen: next, focus: index, anchor: index };
}

/** From the anchor to `focus`, which `items` are. */
export const ranged = ({ anchor }: Selection, items: readonly FileItem[], focus: number): Selection => ({
  chosen: byPath(items),
  focus,
  anchor,
});

/** The keyboard goes there and nothing is chosen by that. */
export const focused = ({ chosen }: Selection, index: number): Selection => ({ chosen, focus: index, anchor: index });

/** The entries that the keyboard is at and where a range begins; null: not known. */
export interface Held {
  readonly focus: string | null;
  readonly anchor: string | null;
}

/**
 * After the folder was read anew: what is not there any more is not chosen, and the keyboard stays at its entry wherever that is now (`indexOf`, -1: not
 * among what was read); without it, at the place.
 */
export function kept(
  { chosen, ...before }: Selection,
  total: number,
  isGone: (caminho: string) => boolean,
  held: Held,
  indexOf: (caminho: string) => number,
): Selection {
  const last = Math.max(0, total - 1);
  const now = (caminho: string | null, index: number): number => {
    const at = caminho === null ? -1 : indexOf(caminho);
    return at === -1 ? index : at;
  };
  const [focus, anchor] = [now(held.focus, before.focus), now(held.anchor, before.anchor)];
  return {
    chosen: new Map([...chosen].filter(([caminho]) => !isGone(caminho))),
    focus: Math.min(focus, last),
    anchor: Math.min(anchor, last),
  };
}

/** Where a key leads in `total` entries of so many columns; null: it leads nowhere. */
export function stepOf(
  key: string,
  focus: number,
  { columns, rows, total }: { columns: number; rows: number; total: number },
): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: columns,
    ArrowUp: -columns,
    ...(columns > 1 ? { ArrowRight: 1, ArrowLeft: -1 } : {}),
    PageDown: columns * Math.max(1, rows - 1),
    PageUp: -columns * Math.max(1, rows - 1),
    Home: -total,
    End: total,
  };
  const step = steps[key];
  if (step === undefined || total === 0) return null;
  const to = focus + step;
  if (Math.abs(step) === columns && columns > 1 && (to < 0 || to >= total)) {
    // Down in the last row but one leads to the last entry, where the last row is shorter.
    return to >= total && Math.floor(focus / columns) < Math.floor((total - 1) / columns) ? total - 1 : focus;
  }
  return Math.max(0, Math.min(total - 1, to));
}
