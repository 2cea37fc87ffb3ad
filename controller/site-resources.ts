/** The administrator's ceilings for a backend: they go with each start. Decision: docs/decisions/0414-ceilings-of-the-administrator.md */
import type { SiteResources } from '../schema/resources.ts';
import type { Entries, PersonEntry } from './entries.ts';
import { entriesOfApp } from './package-entries.ts';

/** Null: the documents set none. The values of a Package document replace the site's ceiling, field by field. */
export function siteResources(
  entries: Pick<Entries, 'portal' | 'byTarget'>,
  person: Pick<PersonEntry, 'name' | 'server'>,
  app: string,
): SiteResources | null {
  const { default: byDefault, ceiling, person: ofPerson } = entries.portal?.document.spec.resources ?? {};
  const ofPackage = entriesOfApp(entries, person.server.name, app, person.name).flatMap(({ wanted, leaving }) =>
    wanted.by === 'document' && !leaving && wanted.placed.document.spec.resources !== undefined
      ? [wanted.placed.document.spec.resources]
      : [],
  )[0];
  const both = ceiling === undefined && ofPackage === undefined ? undefined : { ...ceiling, ...ofPackage };
  if (byDefault === undefined && both === undefined && ofPerson === undefined) return null;
  return {
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(both === undefined ? {} : { ceiling: both }),
    ...(ofPerson === undefined ? {} : { person: ofPerson }),
  };
}
