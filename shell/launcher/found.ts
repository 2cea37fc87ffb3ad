/**
 * Things that are found beside apps and commands while a person types: open windows, places of Settings, rooms, and files of their home. It comes
 * as a part of its own at the first letter. Decision: docs/decisions/0452-one-search.md
 */
import type { RoomView } from '../../schema/wire/rooms.ts';
import { text } from '../i18n/i18n.ts';
import { fileOf } from '../files/entry-words.ts';
import { placeName } from '../files/place-name.ts';
import { parentOf } from '../opening/file-path.ts';
import { noticeRoute } from '../bell/notice-words.ts';
import { ApiError } from '../session/api.ts';
import { readPlaces, searchFiles } from '../session/files-api.ts';
import { listRooms } from '../session/rooms-api.ts';
import { sayError } from '../session/say-error.ts';
import { sections } from '../settings/sections.ts';
import { search, type Entry } from '../ui/search.ts';
import type { Glyph } from '../ui/glyphs.ts';
import { attempt } from '../windows/attempt.ts';
import type { LauncherDesk } from './launcher-desk.ts';

export interface FoundEntry extends Entry {
  readonly glyph: Glyph;
  /** The place of it, in words. */
  readonly where: string;
  run(): void;
}
export interface FoundGroup {
  readonly title: string;
  readonly entries: readonly FoundEntry[];
}
export interface Found {
  readonly groups: readonly FoundGroup[];
  readonly isOver: boolean;
  /** Why a part of it could not be searched; null: all was. */
  readonly problem: string | null;
}

export interface Finder {
  find(query: string): void;
  end(): void;
}

const charsMin = 2;
const hitsMax = 6;
const filesMax = 12;
/** Nobody searches a home for a word that is still being typed. */
const quietMs = 250;

/** `show` gets what was found so far for the last words; later results come behind earlier ones, so that a choice stays where it is. */
export function createFinder(desk: LauncherDesk, show: (found: Found) => void): Finder {
  let rooms: Promise<readonly RoomView[]> | null = null;
  let ends = new AbortController();
  const readRooms = (): Promise<readonly RoomView[]> => {
    rooms ??= listRooms();
    rooms.catch(() => (rooms = null));
    return rooms;
  };
  return {
    find: (query) => {
      ends.abort();
      ends = new AbortController();
      const words = query.trim();
      if (words.length < charsMin) return show({ groups: [], isOver: true, problem: null });
      void findIn(desk, { words, readRooms, signal: ends.signal }, show);
    },
    end: () => ends.abort(),
  };
}

interface Asked {
  readonly words: string;
  readonly readRooms: () => Promise<readonly RoomView[]>;
  readonly signal: AbortSignal;
}

async function findIn(desk: LauncherDesk, { words, readRooms, signal }: Asked, show: (found: Found) => void): Promise<void> {
  const groups: FoundGroup[] = [];
  const problems: string[] = [];
  const add = (title: string, entries: readonly FoundEntry[]): void => void (entries.length > 0 && groups.push({ title, entries }));
  const tell = (isOver: boolean, more: readonly FoundGroup[] = []): void => {
    if (!signal.aborted) show({ groups: [...groups, ...more], isOver, problem: problems[0] ?? null });
  };
  const tryTo = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      // A person without an account has no files to look for.
      if (!(error instanceof ApiError && error.code === 'NO_OWN_ACCOUNT')) problems.push(sayError(error));
    }
  };
  add(text('launcher.windows'), search(windowEntries(desk), words).slice(0, hitsMax));
  add(desk.nameOf('@configuracoes'), search(settingsEntries(desk), words).slice(0, hitsMax));
  tell(false);
  await tryTo(async () => add(text('launcher.rooms'), search(roomEntries(desk, await readRooms()), words).slice(0, hitsMax)));
  tell(false);
  await new Promise((resolve) => setTimeout(resolve, quietMs));
  if (signal.aborted) return;
  const files: FoundEntry[] = [];
  const group = (): FoundGroup => ({ title: desk.nameOf('@files'), entries: [...files] });
  await tryTo(async () => {
    const home = desk.homePath.get() ?? (await readPlaces()).casa;
    // As many as are shown: the server looks no further.
    const enough = new AbortController();
    for await (const line of searchFiles(home, words, false, AbortSignal.any([signal, enough.signal]))) {
      if (line === null || 'fim' in line) continue;
      const { caminho, nome, tipo } = line.item;
      files.push(
        entry({
          key: caminho,
          name: nome,
          glyph: tipo === 'pasta' ? 'folder' : 'text',
          where: placeName(parentOf(caminho) ?? '/', home),
          run: () => attempt(desk, () => desk.openFile(fileOf(line.item))),
        }),
      );
      tell(false, [group()]);
      if (files.length === filesMax) return enough.abort();
    }
  });
  add(group().title, files);
  tell(true);
}

const entry = (of: Omit<FoundEntry, 'category' | 'description'> & { readonly description?: string }): FoundEntry =>
  Object.assign({ description: '', category: '' }, of);

function windowEntries(desk: LauncherDesk): readonly FoundEntry[] {
  return desk.windows.windows.get().map((window) =>
    entry({
      key: window.id,
      name: desk.title(window),
      glyph: desk.glyphOf(window) ?? 'app',
      where: '',
      run: () => desk.activate(window.id),
    }),
  );
}

function settingsEntries(desk: LauncherDesk): readonly FoundEntry[] {
  return Object.entries(sections).map(([id, { title, words, glyph }]) =>
    entry({
      key: id,
      name: text(title),
      description: text(words),
      glyph,
      where: '',
      run: () => desk.open('@configuracoes', id),
    }),
  );
}

/** Rooms of apps that are here. */
function roomEntries(desk: LauncherDesk, rooms: readonly RoomView[]): readonly FoundEntry[] {
  return rooms.flatMap(({ id, nome, app }) => {
    const holder = desk.apps.find(app);
    if (holder === undefined) return [];
    const route = noticeRoute({ sala: id, ancora: null, rota: null });
    return [entry({ key: id, name: nome, glyph: 'people', where: holder.name, run: () => void desk.openApp(app, { route }) })];
  });
}
