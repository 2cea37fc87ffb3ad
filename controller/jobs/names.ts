/** Names of our jobs on a cluster: `svc-<portal>-<id>`, unique for ever, and the key by which a job is found again. */
import { randomBytes } from 'node:crypto';
import type { Store } from '../../store/store.ts';

const valueName = 'queue/portal';

/** 12 hex digits of this portal, made once and kept in its store. */
export async function portalOfJobs(store: Pick<Store, 'value' | 'keepValue'>): Promise<string> {
  return (await store.value(valueName)) ?? (await store.keepValue(valueName, randomBytes(6).toString('hex')));
}

export const jobsPrefix = (portal: string): string => `svc-${portal}-`;
export const jobName = (portal: string, id: string): string => `${jobsPrefix(portal)}${id}`;
