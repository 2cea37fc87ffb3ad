/** The words of `svc why` for a reason of an object of that kind. PERSON, APP, … stand for the names of the case. Source: schema/reasons/row.ts */
import type { Reason } from '../../schema/backend.ts';
import type { Explanation, ReasonRow } from '../../schema/reasons/row.ts';
import { rowOf } from '../../schema/reasons/rows.ts';

const namedAs: Readonly<Partial<Record<string, keyof NonNullable<ReasonRow['as']>>>> = {
  Package: 'Package',
  Engine: 'Package',
  Server: 'Server',
  Service: 'Service',
};

export function explanationOf(kind: string, reason: Reason): Explanation {
  const row = rowOf(reason);
  const as = namedAs[kind];
  return (as && row.as?.[as]) ?? row;
}
