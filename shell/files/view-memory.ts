/** Views of folders that a person chose, kept in this browser. Stored data is not trusted. */
import { fileOrders } from '../../schema/wire/files.ts';
import type { ListBy } from '../session/files-api.ts';
import type { ViewMode } from './file-entry.ts';

export interface View extends ListBy {
  readonly vista: ViewMode;
}

const key = 'svc.files.view';

export function loadView(shop: Pick<Storage, 'getItem'>): View {
  const stored = read(shop);
  return {
    vista: stored.vista === 'lista' ? 'lista' : 'icones',
    ordem: fileOrders.find((order) => order === stored.ordem) ?? 'nome',
    inversa: stored.inversa === true,
    ocultos: stored.ocultos === true,
  };
}

function read(shop: Pick<Storage, 'getItem'>): Partial<Record<keyof View, unknown>> {
  try {
    return (JSON.parse(shop.getItem(key) ?? '{}') ?? {}) as Partial<Record<keyof View, unknown>>;
  } catch {
    return {};
  }
}

export function saveView(shop: Pick<Storage, 'setItem'>, view: View): void {
  try {
    shop.setItem(key, JSON.stringify(view));
  } catch {
    // A full storage costs the memory, not the window.
  }
}
