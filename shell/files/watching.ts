/**
 * A single stream for all folders that are shown: browsers have six connections to the portal for everything. Source: docs/files.md,
 * `vigiar`.
 */
import { reconnectWaitMs } from '../events/client.ts';
import { tryLater } from '../events/try-later.ts';
import { watchFolders } from '../session/files-api.ts';

/** Changes of what is watched are gathered for so long. */
const gatherMs = 150;
/** A page that was left for a moment goes on. */
const hiddenMs = 10_000;

interface Listener {
  readonly changed: () => void;
  /** Version that the listener shows; null: it shows nothing of the folder. */
  readonly version: () => string | null;
}

const listeners = new Map<string, Set<Listener>>();
let stream: AbortController | null = null;
let cancel = (): void => undefined;
let attempt = 0;
let hiding: ReturnType<typeof setTimeout> | undefined;
/** Nothing is followed because nobody sees it. */
let isAsleep = false;

function later(ms: number): void {
  cancel();
  const timer = setTimeout(() => void follow(), ms);
  cancel = () => clearTimeout(timer);
}

async function follow(): Promise<void> {
  stream?.abort();
  const folders = [...listeners].map(([path, all]) => ({ path, version: commonVersion(all) }));
  // A hidden page watches nothing: the stream restarts, with a full reading, when the page is seen again.
  isAsleep = document.hidden;
  if (folders.length === 0 || isAsleep) return;
  const mine = new AbortController();
  stream = mine;
  try {
    let isFirst = true;
    for await (const line of watchFolders(folders, mine.signal)) {
      attempt = 0;
      // Where no listing says from when on, what changed before the first look would never be told.
      for (const { path, version } of isFirst ? folders : []) if (version === '') folderChanged(path);
      if (line !== null) folderChanged(line.caminho);
      isFirst = false;
    }
  } catch {
    // The portal is away, or may not be asked now: the folders are listed again when they are opened.
  }
  if (mine.signal.aborted) return;
  cancel();
  cancel = tryLater(reconnectWaitMs(attempt++, Math.random()), () => void follow());
}

/** Version that all windows of the folder show; '' where they differ, which compares nothing. */
function commonVersion(all: ReadonlySet<Listener>): string {
  const versions = new Set(Array.from(all, ({ version }) => version() ?? ''));
  const [version = ''] = versions;
  return versions.size === 1 ? version : '';
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(() => void follow(), hiddenMs);
  else if (isAsleep) later(0);
});

/** Calls `changed` when the folder is to be listed again, after the listing of that version. Returns the function that ends it. */
export function watchFolder(path: string, changed: () => void, version: () => string | null): () => void {
  const listener: Listener = { changed, version };
  const mine = listeners.get(path) ?? new Set();
  if (!listeners.has(path)) {
    listeners.set(path, mine);
    later(gatherMs);
  }
  mine.add(listener);
  return () => {
    mine.delete(listener);
    if (mine.size === 0 && listeners.get(path) === mine) {
      listeners.delete(path);
      later(gatherMs);
    }
  };
}

/** It is to be listed again. Called for what this page changed itself, too, which is seen at once then. */
export function folderChanged(path: string | null): void {
  for (const { changed } of listeners.get(path ?? '') ?? []) changed();
}
