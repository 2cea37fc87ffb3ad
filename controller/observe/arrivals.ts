/**
 * People who came by a claim of the provider, as the sign-ins wrote it into the store: one value for each People document and login. The
 * last claim counts until the next sign-in. Decision: docs/decisions/0400-people-of-a-provider.md
 */
import { createHash } from 'node:crypto';
import { isGroupName } from '../../schema/desired/group.ts';
import type { PeopleDocument } from '../../schema/desired/documents.ts';
import { cutName, type Member } from '../../reconcilers/members.ts';
import type { Store } from '../../store/store.ts';
import { limits } from '../limits.ts';

type Oidc = NonNullable<PeopleDocument['spec']['oidc']>;

export interface Arrival {
  readonly login: string;
  /** As the provider has it; '' when it says none. */
  readonly nome: string;
  readonly claim: string;
  /** Values of the claim that the document named then. */
  readonly values: readonly string[];
  readonly atMs: number;
}

const prefixOf = (list: string): string => `people/${list}/`;

export const arrivalName = (list: string, login: string): string => `${prefixOf(list)}${createHash('sha256').update(login).digest('hex')}`;

/** Returns the people to whom the document still applies. */
export async function arrivalsOf(store: Pick<Store, 'values'>, list: string, oidc: Oidc, nowMs: number): Promise<readonly Arrival[]> {
  const rows = await store.values(prefixOf(list));
  return [...rows.values()].flatMap((row) => {
    const arrival = readArrival(row);
    if (arrival === null || arrival.claim !== oidc.claim || nowMs - arrival.atMs >= limits.peopleOfClaimMsMax) return [];
    const values = arrival.values.filter((value) => oidc.values.includes(value));
    return values.length === 0 ? [] : [{ ...arrival, values }];
  });
}

/** Our own writing; '' is what a sign-in leaves of whoever is not in the group any more. */
export function readArrival(row: string | null): Arrival | null {
  return row === null || row === '' ? null : (JSON.parse(row) as Arrival);
}

/** Values of a claim, a text or a list, that the document names. */
export function valuesHeld(claim: unknown, { values }: Oidc): readonly string[] {
  const held: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.filter((value) => held.includes(value));
}

export function withClaims(member: Member, arrival: Arrival | undefined): Member {
  if (arrival === undefined) return member;
  return { ...member, nome: cutName(arrival.nome) || member.nome, groups: arrival.values.filter(isGroupName).toSorted() };
}
