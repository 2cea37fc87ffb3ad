/**
 * Which folder may import which: one table for test/boundaries.test.ts, for the linter (.oxlintrc.json) and for docs/ARCHITECTURE.md.
 * `node setup/arrows-table.ts` writes the other two from it, and the test fails when they say something else.
 */
import path from 'node:path';

interface Arrow {
  /** A file is held to the row with the longest folder that it is in. */
  readonly folder: string;
  /** Folders and files beside the folder itself; null: everything. */
  readonly may: readonly string[] | null;
  readonly why: string;
  /** Does no I/O: modules of Node that do are refused too. */
  readonly pure?: boolean;
}

export const arrows: readonly Arrow[] = [
  { folder: 'schema', may: [], why: 'schema imports nothing of ours.' },
  { folder: 'machines', may: ['schema'], pure: true, why: 'machines import schema only and do no I/O.' },
  {
    folder: 'reconcilers',
    may: ['schema', 'machines'],
    pure: true,
    why: 'reconcilers import machines and schema only and do no I/O.',
  },
  { folder: 'store', may: ['schema'], why: 'the store keeps what it is given: schema only.' },
  {
    folder: 'controller',
    may: ['schema', 'machines', 'reconcilers', 'store', 'kit/archive', 'kit/http', 'kit/repository/reading'],
    why: 'the controller does not know the api.',
  },
  {
    folder: 'kit',
    may: ['schema', 'machines'],
    why: 'kit runs on the servers: machines and schema only (docs/decisions/0002-supervisor-is-the-agent.md).',
  },
  {
    folder: 'api',
    may: ['schema', 'machines', 'store'],
    why: 'the api writes intent, the controller acts: they meet in the store.',
  },
  {
    folder: 'api/repository',
    may: ['schema', 'api', 'kit/repository/layout'],
    why: 'serving a repository takes what a repository is from where it is read and published, and nothing else of kit.',
  },
  {
    folder: 'sdk',
    may: [
      'schema/bridge',
      'schema/wire',
      'schema/crdt',
      'schema/varuint.ts',
      'schema/rooms.ts',
      'schema/limits.ts',
      'machines/room-connection.ts',
    ],
    why: 'the sdk imports nothing; what its bundles take: docs/decisions/0102-rooms-in-the-page.md.',
  },
  {
    folder: 'shell',
    may: [
      'schema/bridge',
      'schema/wire',
      'schema/routes/call.ts',
      'schema/texts',
      'schema/backend.ts',
      'schema/keys.ts',
      'schema/rooms.ts',
      'schema/backoff.ts',
      'sdk/web/ui',
    ],
    why: 'the shell imports nothing but the UI kit that apps have as well: docs/decisions/0240-ui-kit.md.',
  },
  {
    folder: 'bin',
    may: ['schema', 'machines', 'reconcilers', 'store', 'controller', 'kit', 'api'],
    why: 'commands are wired here; pages are bundled, not imported.',
  },
  { folder: 'setup', may: null, why: '' },
  { folder: 'examples', may: null, why: '' },
  { folder: 'test', may: null, why: '' },
  { folder: 'bench', may: null, why: '' },
];

interface Closed {
  readonly folder: string;
  /** Its public file, the one that others import, `testing/` of it being for tests; null: none. */
  readonly publicFile: string | null;
  /** Folders that it belongs to as well: to them it is open. */
  readonly homes?: readonly string[];
}

export const closed: readonly Closed[] = [
  { folder: 'schema/crdt', publicFile: 'schema/crdt/update.ts' },
  { folder: 'api/capabilities', publicFile: 'api/capabilities/capabilities.ts' },
  { folder: 'api/proxy', publicFile: 'api/proxy/proxy.ts' },
  { folder: 'api/rooms/relay', publicFile: 'api/rooms/relay/relay.ts' },
  { folder: 'kit/repository/layout', publicFile: null, homes: ['kit/repository', 'api/repository'] },
];

interface Floors {
  /** Its parts, folders and files at its top, from the highest floor to the ground: an import leads down. */
  readonly order: string;
  /** Imports from part to part that lead up. No new one is added: a part that two others need stands below both. */
  readonly up: readonly string[];
}

export const floors: Readonly<Record<string, Floors>> = {
  controller: {
    order: `views space people loop kinds apply.ts observe site-figures.ts servers context.ts execute site-resources.ts cluster-starts.ts package-news.ts
      start-steps.ts figures.ts sync-entries.ts visible-packages.ts run-bounds.ts package-entries.ts jobs entries.ts clusters work desired hosts files
      clock limits.ts faults.ts`,
    up: ['entries.ts -> jobs', 'entries.ts -> observe'],
  },
  shell: {
    order: `main.ts svc-shell.ts desktop terminal share history launcher frames tabs editor files viewer queue tasks admin shop bell capabilities questions dev
      settings secrets engines opening windows session preferences ui extensions scripts help i18n state events offline bridge`,
    up: ['state -> session'],
  },
};

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** The row that holds for a file or a folder; undefined outside of the table. */
export function arrowOf(path: string): Arrow | undefined {
  return arrows.filter(({ folder }) => isIn(path, folder)).toSorted((a, b) => b.folder.length - a.folder.length)[0];
}

/** Whether the file may import the target, both as paths from the root of the tree. */
export function isAllowed(file: string, target: string): boolean {
  const arrow = arrowOf(file);
  if (arrow === undefined) return true;
  if (!leads(arrow, target)) return false;
  const one = closedTo(file).find(({ folder }) => isIn(target, folder));
  return one === undefined || target === one.publicFile || isIn(target, `${one.folder}/testing`);
}

const leads = ({ folder, may }: Arrow, target: string): boolean => may === null || [folder, ...may].some((to) => isIn(target, to));

/** The folders at the top of the product that a change of the file can reach: its own, and those that may import it, by way of others too. */
export function reachedFolders(file: string): readonly string[] {
  const own = tops.find((top) => isIn(file, top));
  if (own === undefined || own === 'setup') return [];
  const product = arrows.filter(({ may }) => may !== null);
  const reached = new Set([own]);
  // Files of schema import each other everywhere: who takes one of its folders takes all of it.
  const leadsHere = ({ may }: Arrow): boolean => may!.some((to) => isIn(file, to) || (own === 'schema' && isIn(to, own)));
  const isNew = (arrow: Arrow): boolean => {
    const [top = ''] = arrow.folder.split('/');
    return !reached.has(top) && (leadsHere(arrow) || [...reached].some((one) => one !== own && leads(arrow, one)));
  };
  for (let next = product.find(isNew); next !== undefined; next = product.find(isNew)) reached.add(next.folder.split('/')[0]!);
  return [...reached];
}

/** Folders of which the file or folder may import the public file only. */
const closedTo = (outside: string): readonly Closed[] =>
  closed.filter(({ folder, homes = [] }) => ![folder, ...homes].some((home) => isIn(outside, home)));

const tops = arrows.map(({ folder }) => folder).filter((folder) => !folder.includes('/'));
const inputAndOutput = ['node:fs*', 'node:fs/**', 'node:net', 'node:http', 'node:child_process'];
/** Folders that nothing reads but themselves, setup and tests. */
const refusable = tops.filter((top) => !['setup', 'examples', 'test', 'bench'].includes(top));

interface Override {
  readonly files: readonly string[];
  readonly rules: Readonly<Record<string, unknown>>;
}

/**
 * The same for the linter, which sees what an import says and not where it leads. The last override that a file matches holds, and within its
 * group the last pattern; there is one group, since a `!` in a group lets pass what another group refuses.
 */
export function lintOverrides(): readonly Override[] {
  const held = [
    ...new Set([...arrows.map(({ folder }) => folder), ...closed.flatMap(({ folder, homes = [] }) => [folder, ...homes])]),
  ].toSorted();
  return held.map((folder) => {
    const arrow = arrowOf(folder);
    const group = [...(arrow ? arrowPatterns(arrow) : []), ...closedPatterns(folder)];
    const names = closed.flatMap(({ publicFile }) => publicFile ?? []);
    const message = `${arrow?.why ?? ''} Public files: ${names.join(', ')}. See setup/arrows.ts.`.trim();
    return { files: [`${folder}/**`], rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] } };
  });
}

const below = (path: string): string => (path.endsWith('.ts') ? `**/${path}` : `**/${path}/**`);

function arrowPatterns({ folder, may, pure = false }: Arrow): readonly string[] {
  if (may === null) return [];
  const free = new Set([folder, ...may]);
  const refused = refusable.filter((top) => !free.has(top) && !isIn(folder, top));
  const open = may.filter((to) => refused.some((top) => isIn(to, top)));
  return [...refused.map(below), ...open.map((to) => `!${below(to)}`), ...(pure ? inputAndOutput : [])];
}

/** A public file that the arrows don't lead to stays refused. */
function closedPatterns(outside: string): readonly string[] {
  const arrow = arrowOf(outside);
  return closedTo(outside)
    .filter(({ folder, publicFile }) => arrow === undefined || leads(arrow, publicFile ?? folder))
    .flatMap(({ folder, publicFile }) => {
      // The names of the last two folders, where one is not enough to tell.
      const name = publicFile === null ? folder.split('/').slice(-2).join('/') : path.basename(folder);
      const open = publicFile === null ? [] : [`!**/${name}/${path.relative(folder, publicFile)}`];
      return [`**/${name}/**`, `!**/${name}/testing/**`].concat(open);
    });
}

function told(may: Arrow['may']): string {
  if (may === null) return 'everything';
  return may.length === 0 ? 'nothing of ours' : may.map((to) => `\`${to}\``).join(', ');
}

/** The page with the last cell of each row of a folder as the table says it. Throws for a folder, or a public file, that has no row. */
export function withArrows(page: string): string {
  for (const { folder, publicFile } of closed) {
    const row = new RegExp(`^\\| \`${folder}/\` \\| .* \\| (?:${publicFile === null ? 'none: ' : `\`${publicFile}\` \\|$`})`, 'm');
    if (!row.test(page)) throw new Error(`docs/ARCHITECTURE.md does not tell the public file of ${folder}/`);
  }
  return arrows.reduce((text, { folder, may }) => {
    const row = new RegExp(`^(\\| \`${folder}/\` \\| .* \\| )[^|]*( \\|)$`, 'm');
    if (!row.test(text)) throw new Error(`docs/ARCHITECTURE.md has no row for ${folder}/`);
    return text.replace(row, `$1${told(may)}$2`);
  }, page);
}
