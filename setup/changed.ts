/** Which tests a change can reach, by the arrows between the folders and by what the processes of real tests are made of. Pure. See test/README.md. */
import { reachedFolders } from './arrows.ts';

/** Paths of real tests begin so; a folder's own are always among them. */
const realTestsOf: Readonly<Record<string, readonly string[]>> = {
  shell: ['test/browser/', 'test/journeys/person'],
  sdk: ['examples/', 'test/browser/', 'test/journeys/author'],
  examples: ['test/browser/', 'test/journeys/author'],
  store: ['test/backup/', 'test/postgres/', 'test/chaos/', 'test/integration/'],
  machines: ['controller/', 'test/simulation/', 'test/integration/', 'test/chaos/'],
  reconcilers: ['controller/', 'test/simulation/', 'test/integration/', 'test/chaos/'],
  controller: [
    'test/simulation/',
    'test/integration/',
    'test/chaos/',
    'test/files/',
    'test/ssh/',
    'test/postgres/',
    'test/worlds/',
    'test/journeys/',
  ],
  kit: ['test/ssh/', 'test/integration/', 'test/worlds/', 'test/journeys/'],
  api: ['test/browser/', 'test/integration/', 'test/files/', 'test/postgres/', 'test/fairness/', 'test/journeys/'],
  bin: ['test/backup/', 'test/integration/', 'test/ssh/', 'test/worlds/', 'test/journeys/'],
};

/** Nothing but the static steps and the test of the documents looks at them. */
const isText = (file: string): boolean => /^(?:docs\/|bench\/|[^/]+\.md$)/.test(file) || file.endsWith('/README.md');

export interface Reach {
  /** All real tests, since nobody knows what it reaches: `setup`, `test/support`, a file at the top. */
  readonly isAll: boolean;
  /** The unit tests of what imports these run; none for texts alone. */
  readonly sources: readonly string[];
  /** Real tests. */
  readonly real: readonly string[];
}

/** Paths from the root of the tree: of what changed, and of all real tests. */
export function reachOf(changed: readonly string[], realTests: readonly string[]): Reach {
  const sources = changed.filter((file) => !isText(file));
  const beginnings = sources.map(realOf);
  const isAll = beginnings.includes(null);
  const known = new Set(beginnings.flatMap((each) => each ?? []));
  return { isAll, sources, real: isAll ? realTests : realTests.filter((test) => [...known].some((from) => test.startsWith(from))) };
}

/** Null: all. */
function realOf(file: string): readonly string[] | null {
  if (file.endsWith('.real.test.ts')) return [file];
  if (file.endsWith('.test.ts')) return [];
  if (file.startsWith('test/')) {
    const [, folder = ''] = file.split('/');
    return folder === 'support' || !file.includes('/', 'test/'.length) ? null : [`test/${folder}/`];
  }
  const folders = reachedFolders(file);
  if (folders.length === 0) return null;
  // svc-wrap is tested beside the runtimes.
  const others = file.startsWith('kit/wrap/') ? ['sdk/'] : [];
  return others.concat(folders.flatMap((folder) => [`${folder}/`].concat(realTestsOf[folder] ?? [])));
}
