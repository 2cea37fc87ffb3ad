/** The link of a person whom the loop does not know yet: it never connects and starts nothing (`svc plan`). */
import { SvcError } from '../../schema/errors.ts';
import type { SupervisorLink } from './supervisor-link.ts';

export function silentLink(person: string): SupervisorLink {
  const view = { status: 'down', error: null, sinceMs: 0, supervisor: null } as const;
  const refuse = (): Promise<never> => Promise.reject(new SvcError('SERVER_UNREACHABLE', `${person} is not served yet`));
  return {
    person,
    view: () => view,
    snapshot: () => null,
    snapshots: () => [],
    usage: () => null,
    observeUsage: async () => undefined,
    seenAtMs: () => 0,
    recall: () => undefined,
    adopt: async () => undefined,
    look: async () => undefined,
    ensure: refuse,
    ask: refuse,
    dial: refuse,
    check: async () => undefined,
    close: () => undefined,
  };
}
