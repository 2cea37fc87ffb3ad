/** Pages of the help, in the order in which they are listed. A page of docs/ that no group names is listed in the last one. */

export const helpLanguages = ['pt', 'en'] as const;
export type HelpLanguage = (typeof helpLanguages)[number];

/** For people who use the desktop: shell/help/<language>/<name>.md. */
export const peoplePages = [
  'index',
  'sign-in',
  'desktop',
  'windows',
  'keyboard',
  'files',
  'text-and-pictures',
  'terminal',
  'apps',
  'permissions',
  'rooms',
  'notices',
  'jobs',
  'settings',
  'failures',
] as const;

export interface Group {
  readonly title: Readonly<Record<HelpLanguage, string>>;
  /** Names of pages of docs/, without `.md`. */
  readonly pages: readonly string[];
}

/** For authors and administrators: docs/<name>.md, in English. */
export const docsGroups: readonly Group[] = [
  {
    title: { pt: 'Escrever aplicativos', en: 'Writing apps' },
    pages: [
      'first-app',
      'app-authors',
      'cookbook',
      'existing-apps',
      'manifest',
      'verbs',
      'ui',
      'extending',
      'capabilities',
      'rooms',
      'queue',
      'author-tools',
      'publishing',
      'repository',
    ],
  },
  {
    title: { pt: 'Administrar um portal', en: 'Running a portal' },
    pages: [
      'install',
      'run-a-site',
      'operators',
      'sign-in',
      'servers',
      'server',
      'ssh',
      'installing',
      'shop',
      'files',
      'secrets',
      'gpu',
      'clusters',
      'fronts',
      'several-portals',
      'monitoring',
      'audit',
      'security',
      'isolation',
      'fairness',
    ],
  },
  {
    title: { pt: 'Referência', en: 'Reference' },
    pages: ['ARCHITECTURE', 'glossary', 'api', 'errors', 'reasons', 'limits', 'rules', 'benchmarks'],
  },
];

/** The groups with the pages that there are; every one of `names` is in one of them. */
export function groupsOf(names: readonly string[], groups: readonly Group[] = docsGroups): readonly Group[] {
  const named = new Set(groups.flatMap(({ pages }) => pages));
  const others = names.filter((name) => !named.has(name));
  return groups.map(({ title, pages }, at) => ({
    title,
    pages: [...pages.filter((name) => names.includes(name)), ...(at === groups.length - 1 ? others : [])],
  }));
}
