/** `Portal.spec.repository`: one place, or a list whose first repository with an app offers it. Decision: docs/decisions/0434-several-repositories.md */
import { limits } from '../limits.ts';
import { fields, list, pattern } from '../static.ts';
import { group } from './group.ts';

const placeSource = '^(?![Hh][Tt][Tt][Pp][Ss]?://[^/]*@)[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]{0,199}$';
const placeTitle = 'a folder, or an http(s) address without a user';

export interface RepositoryItem {
  readonly url: string;
  readonly chave?: string;
  readonly grupos?: readonly string[];
}

const item = fields(
  {
    /** A folder (relative to the file) or an address. */
    url: pattern(placeSource, placeTitle),
    /** Public key of minisign: only versions that it signed are installed. Decision: docs/decisions/0435-signed-versions.md */
    chave: pattern('^RW[A-Za-z0-9+/]{54}$', 'a public key of minisign: 56 characters that begin with RW'),
    /** People in one of these groups see its apps in the shop, and install them. Absent: everybody. */
    grupos: { ...list(group), uniqueItems: true, minItems: 1, maxItems: limits.packageGroupsMax },
  },
  ['url'],
);

type Text = { readonly type: 'string' };

/** Each keyword holds for one type of JSON only, so that no mistake is reported for an alternative that was not meant. */
export const repositorySchema = {
  type: ['string', 'array'],
  pattern: placeSource,
  title: placeTitle,
  items: { ...item, type: ['string', 'object'], pattern: placeSource, title: placeTitle },
  minItems: 1,
  maxItems: limits.repositoriesMax,
} as unknown as {
  readonly anyOf: readonly [Text, { readonly type: 'array'; readonly items: { readonly anyOf: readonly [Text, typeof item] } }];
};

export function repositoryItems(named: string | readonly (string | RepositoryItem)[]): readonly RepositoryItem[] {
  return (typeof named === 'string' ? [named] : named).map((one) => (typeof one === 'string' ? { url: one } : one));
}
