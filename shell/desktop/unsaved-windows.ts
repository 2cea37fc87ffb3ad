/** Connects the unsaved work of app windows with this desktop. Decision: docs/decisions/0322-what-is-not-saved.md */
import { createUnsaved, type Unsaved } from '../windows/unsaved.ts';
import type { Desk } from './desk.ts';
import { limits } from './limits.ts';

export function unsavedOf(desk: () => Desk): Unsaved {
  return createUnsaved({
    act: (id, act) => {
      if (act === 'close') desk().discard(id);
      else if (act === 'reload') desk().frames.get(id)?.reload();
      else desk().updateApp(desk().windows.find(id)?.app ?? '');
    },
    save: (id) => desk().bridge.emit(id, 'salvar', {}),
    saveMsMax: limits.saveMsMax,
  });
}

/** Such a window asks before it closes, and so does the browser before this page goes. */
export function followUnsaved({ unsaved, hold }: Pick<Desk, 'unsaved' | 'hold'>): void {
  let before: ReadonlySet<string> = new Set();
  unsaved.state.subscribe(() => {
    const now = new Set(unsaved.state.get().keys());
    for (const id of now) if (!before.has(id)) hold(id, () => unsaved.before(id, 'close'));
    for (const id of before) if (!now.has(id)) hold(id, null);
    before = now;
  });
  addEventListener('beforeunload', (event) => {
    if (unsaved.state.get().size > 0) event.preventDefault();
  });
}
