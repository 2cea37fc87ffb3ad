/** Accent and wallpaper as the person chose them (`destaque`, `papel`): attributes of the document, which shell.css draws by. Kept on this browser for the first paint. */
import { accents, walls } from '../../schema/wire/preferences.ts';
import { createSignal } from '../state/signal.ts';
import type { PreferencesModel } from './model.ts';
import { keptHere } from '../state/kept.ts';

/** The accent that is shown. */
export const accent = createSignal<Accent>(accents[0]);

const storageKey = 'svc.look';

interface Look {
  readonly destaque?: string | undefined;
  readonly papel?: string | undefined;
}

type Accent = (typeof accents)[number];

/** The first of each is what the stylesheet draws without an attribute. */
function show({ destaque, papel }: Look): void {
  accent.set(accents.find((name) => name === destaque) ?? accents[0]);
  set('accent', accent.get() === accents[0] ? undefined : accent.get());
  set(
    'wall',
    walls.slice(1).find((name) => name === papel),
  );
}

function set(name: 'accent' | 'wall', value: string | undefined): void {
  if (value === undefined) delete document.documentElement.dataset[name];
  else document.documentElement.dataset[name] = value;
}

function last(): Look {
  try {
    const kept = JSON.parse(keptHere.getItem(storageKey) ?? '{}') as Look | null;
    return kept ?? {};
  } catch {
    return {};
  }
}

export function followLook(preferences: PreferencesModel): PreferencesModel {
  const { state } = preferences;
  show(last());
  state.subscribe(() => {
    const chosen = state.get();
    if (chosen === null) return;
    const { destaque, papel } = chosen;
    keptHere.setItem(storageKey, JSON.stringify({ destaque, papel }));
    show({ destaque, papel });
  });
  return preferences;
}
