/** Requests and answers of Administration about the file that it writes. What a field may hold is for the checks of the folder to say; here is only how much of it may come. */
import { limits } from '../limits.ts';
import { type Wire, closed, count, flag, list, nullable, oneOf, orNull, strings, text } from '../static.ts';
import { planAnswer } from './http.ts';

const short = { type: 'string', minLength: 1, maxLength: 200 } as const;
const names = { type: 'array', items: short, uniqueItems: true, maxItems: limits.packageServersMax } as const;
const groups = { type: 'array', items: short, uniqueItems: true, maxItems: limits.packageGroupsMax } as const;

/** `spec` belongs to `put`: fields of the kind that are left out, and belong to it, are taken out of the document. */
const change = {
  kind: oneOf(['Person', 'Package']),
  name: short,
  act: oneOf(['put', 'remove']),
  person: closed({ nome: short, login: short, server: short, account: short, grupos: groups }, ['nome', 'login', 'server']),
  package: closed({ app: short, versao: short, servers: names, everywhere: flag, grupos: groups }, ['app', 'versao']),
} as const;
const changeNames = ['act', 'kind', 'name'] as const;
export const ownDraftBody = closed(change, changeNames);
export const ownWriteBody = closed({ ...change, digest: { type: 'string', pattern: '^[0-9a-f]{64}$' } }, [...changeNames, 'digest']);
export type OwnDraftBody = Wire<typeof ownDraftBody>;

const document = closed(
  {
    kind: text,
    name: text,
    line: count,
    nome: text,
    login: text,
    account: text,
    server: text,
    grupos: strings,
    app: text,
    versao: text,
    servers: strings,
    everywhere: flag,
  },
  ['kind', 'name', 'line'],
);
export const ownFileAnswer = closed({
  file: text,
  dir: text,
  managed: orNull(closed({ why: oneOf(['checkout', 'link', 'readonly']), place: text })),
  documents: list(document),
  servers: strings,
  groups: strings,
});
export type OwnFileAnswer = Wire<typeof ownFileAnswer>;
export const ownDraftAnswer = closed({
  file: text,
  digest: text,
  diff: list(closed({ change: oneOf(['same', 'added', 'removed']), line: count, text })),
  plan: planAnswer,
  elsewhere: orNull(closed({ file: text, line: count, from: nullable('string') })),
});
export type OwnDraftAnswer = Wire<typeof ownDraftAnswer>;
