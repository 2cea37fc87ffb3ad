/**
 * The closed list of reasons, in CamelCase as in Kubernetes: every transition carries one. A row is all that has to be written for a reason;
 * schema/reasons/derived.ts and docs/reasons.md are made from the rows. Pages have no state of their own. Decision: docs/decisions/0337-one-row-a-fact.md
 */
import { failed, running, starting, stopped } from './backends.ts';
import { jobs } from './jobs.ts';
import { objects } from './objects.ts';
import type { ReasonRow } from './row.ts';
import { unknown } from './servers.ts';

/** The sections of docs/reasons.md. */
export const reasonGroups = { stopped, starting, running, failed, unknown, objects, jobs };

export const reasonRows = { ...stopped, ...starting, ...running, ...failed, ...unknown, ...objects, ...jobs };

export const rowOf = (reason: keyof typeof reasonRows): ReasonRow => reasonRows[reason];
