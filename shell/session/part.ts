/**
 * Scripts of the shell that are loaded when they are needed. A browser's own `import` can't be ended: over a dead connection it waits for as long as TCP
 * does, and every later import of the file waits with it. So the files are fetched first, which ends when the way to the portal is dead and can be
 * asked again; the import finds them in the browser's cache. Decision: docs/decisions/0367-parts-are-fetched-before-they-are-imported.md
 */
import { fetchFile } from './api.ts';

/** Files by part, as setup/build.ts writes them into the page; null: the page says nothing of them. */
let files: Readonly<Record<string, readonly string[]>> | null = null;

/** Addresses that arrived: the browser has them. */
const fetched = new Set<string>();

/** `name`: of the source of the part, without its ending. Rejects with an ApiError when a file did not come. */
export async function part<Loaded>(name: string, load: () => Promise<Loaded>): Promise<Loaded> {
  files ??= JSON.parse(document.querySelector('#parts')?.textContent ?? '{}') as Record<string, readonly string[]>;
  await Promise.all(
    (files[name] ?? []).map(async (file) => {
      if (fetched.has(file)) return;
      await fetchFile(`/parts/${file}`);
      fetched.add(file);
    }),
  );
  return await load();
}
