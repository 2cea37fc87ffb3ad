/**
 * The part of `svc plan` for objects that leave: lists every action in order until the object is gone. It calls the same decide functions as
 * the loop, and after each action applies its expected result to the observed input; if nothing else changes, the loop does exactly this.
 */
import type { Action } from '../../reconcilers/actions.ts';
import { decideBackend } from '../../reconcilers/backend.ts';
import type { LeavingObserved } from '../../reconcilers/leaving.ts';
import { decidePackage } from '../../reconcilers/package.ts';
import type { PackageDesired, PackageObserved } from '../../reconcilers/package-types.ts';
import { decidePerson } from '../../reconcilers/person.ts';
import { decideServer, type ServerDesired, type ServerObserved } from '../../reconcilers/server.ts';
import { keepsSupervisor } from '../../reconcilers/supervisor-process.ts';
import type { Reason } from '../../schema/backend.ts';
import type { PlanAnswer } from '../../schema/gateway.ts';
import { backendDesired, backendObserved } from '../kinds/backend.ts';
import { packageDesired, packageObserved, type PackageSurroundings } from '../kinds/package.ts';
import { personDesired, personObserved } from '../kinds/person.ts';
import { isServerScope } from '../servers/services.ts';
import { markRemoving } from '../package-entries.ts';
import type { PackageEntry, PersonEntry, ServerEntry, Entries } from '../entries.ts';
import { changeOf, type Blocked } from './plan-changes.ts';

export interface LeavingPlan {
  readonly changes: PlanAnswer['changes'][number][];
  readonly blocked: Blocked[];
  readonly notes: string[];
  /** Keys of what is forgotten in the end. */
  readonly gone: Set<string>;
}

interface Decided {
  readonly actions: readonly Action[];
  readonly reason: Reason;
}

/** More than any object needs: a person signs out, finds out, stops, ends, waits for packages, is forgotten. */
const roundsMax = 10;

/** People and packages; `failing`: what to say of a package whose last attempt failed. */
export function planLeaving(
  entries: Entries,
  surroundings: PackageSurroundings,
  failing: (entry: PackageEntry) => string,
  nowMs: number,
): LeavingPlan {
  const plan: LeavingPlan = { changes: [], blocked: [], notes: [], gone: new Set() };
  const leavePackage = (entry: PackageEntry | undefined): void => {
    if (entry && !plan.gone.has(entry.key)) planPackage(plan, entries, entry, surroundings, failing(entry), nowMs);
  };
  for (const person of entries.people.values()) {
    if (person.leaving)
      planPerson(plan, entries, person, (key) => leavePackage([...entries.packages.values()].find((one) => one.key === key)), nowMs);
  }
  for (const entry of entries.packages.values()) if (entry.leaving) leavePackage(entry);
  return plan;
}

/** A server that leaves goes when everything there is gone: after all other changes. */
export function planLeavingServer(
  { gone }: LeavingPlan,
  entries: Entries,
  server: ServerEntry,
  desired: ServerDesired,
  observed: ServerObserved,
  nowMs: number,
): readonly PlanAnswer['changes'][number][] {
  const here = [
    ...[...entries.people.values()].filter((person) => person.server === server),
    ...[...entries.packages.values()].filter(({ target }) => target.server === server.name),
  ];
  const first = decideServer(desired, observed, null, nowMs);
  const isEmptied = observed.occupied && here.every(({ key }) => gone.has(key));
  const last = isEmptied ? decideServer(desired, { ...observed, occupied: false }, null, nowMs) : null;
  return [...changesOf(first), ...(last === null ? [] : changesOf(last))];
}

function changesOf({ actions, reason: why }: Decided, suffix = '', owner?: string): readonly PlanAnswer['changes'][number][] {
  return actions.map((action) => {
    const { key, action: kind, detail, reason = why } = changeOf(action);
    return { key: owner ?? key, action: kind, detail: `${detail}${suffix}`, reason };
  });
}

function planPerson(plan: LeavingPlan, entries: Entries, person: PersonEntry, leavePackage: (key: string) => void, nowMs: number): void {
  const desired = personDesired(person);
  const seen = personObserved(entries, person);
  let { left } = seen;
  // A server that does not answer keeps its people until it does, or is given up.
  if (seen.host.status !== 'reachable' && left?.lost !== true) return;
  const remembered = [...person.backends.values()].filter(({ app, memory }) => keepsSupervisor(person.link.snapshot(app), memory));
  const found = remembered.map(({ app }) => app);
  for (let round = 0; round < roundsMax && left !== null; round += 1) {
    const decision = decidePerson(desired, Object.assign({}, seen, { left }), null, nowMs);
    plan.changes.push(...changesOf(decision));
    if (decision.actions.some(({ kind }) => kind === 'supervisor/ensure'))
      plan.notes.push(`${person.key}: what runs is unknown before the supervisor is up; what it finds is ended`);
    if (decision.actions.some(({ kind }) => kind === 'person/forget')) {
      plan.gone.add(person.key);
      return;
    }
    if (decision.actions.length === 0) left.packages.forEach(leavePackage);
    const packages: readonly string[] = left.packages.filter((key) => !plan.gone.has(key));
    // A supervisor that is being started is up in the end.
    left = decision.actions.reduce((before, action) => afterOf(before, action, found), started({ ...left, packages }));
  }
}

function started(left: LeavingObserved): LeavingObserved {
  return left.supervisor === 'starting' ? { ...left, supervisor: 'up' } : left;
}

/** Remaining parts of the person once the act was carried out. */
function afterOf(left: LeavingObserved, action: Action, found: readonly string[]): LeavingObserved {
  switch (action.kind) {
    case 'person/sign-out':
      return { ...left, signedOut: true };
    case 'supervisor/ensure':
      return { ...left, supervisor: 'up', living: found };
    case 'person/erase':
      return { ...left, toErase: false };
    case 'backend/stop':
      return { ...left, living: left.living.filter((app) => app !== action.app) };
    case 'supervisor/end':
      return { ...left, supervisor: 'down', ended: true };
    default:
      return left;
  }
}

interface PackageInputs {
  readonly desired: PackageDesired;
  readonly observed: PackageObserved;
}

function planPackage(
  plan: LeavingPlan,
  entries: Entries,
  entry: PackageEntry,
  surroundings: PackageSurroundings,
  failing: string,
  nowMs: number,
): void {
  let inputs: PackageInputs = { desired: packageDesired(entry), observed: packageObserved(entries, entry, surroundings) };
  for (let round = 0; round < roundsMax; round += 1) {
    const { desired, observed } = inputs;
    const decision = decidePackage(desired, observed, null, nowMs);
    const { actions, state, reason, message } = decision;
    // A change is listed under the object that wants it; an installed package may be wanted by several.
    plan.changes.push(...changesOf(decision, failing, entry.key));
    if (actions.some(({ kind }) => kind === 'object/forget')) {
      plan.gone.add(entry.key);
      return;
    }
    if (actions.length > 0) inputs = actions.reduce(packageAfter, inputs);
    else if (state === 'removing' && observed.living > 0) {
      plan.changes.push(...stopsOf(entries, entry, nowMs));
      inputs = { desired, observed: { ...observed, living: 0 } };
    }
    // The act under way is over in the end.
    else if (observed.busy !== null) inputs = { desired, observed: { ...observed, busy: null } };
    else {
      plan.blocked.push({ key: entry.key, reason, message });
      return;
    }
  }
}

function packageAfter({ desired, observed }: PackageInputs, { kind }: Action): PackageInputs {
  switch (kind) {
    case 'package/cancel':
      return { desired, observed: { ...observed, busy: null } };
    case 'package/remove':
      return { desired, observed: { ...observed, installed: null } };
    case 'rollback/end':
      return { desired: { ...desired, rollback: null }, observed };
    default:
      return { desired, observed };
  }
}

/** The instances of a package that goes end by the decisions about backends; those of people who leave ended with them. */
function stopsOf(entries: Entries, { target }: PackageEntry, nowMs: number): readonly PlanAnswer['changes'][number][] {
  markRemoving(entries, target, true);
  const backends = [...entries.backends.values()].filter(({ app, person }) => app === target.app && person.server.name === target.server);
  return backends.flatMap((backend) => {
    const desired = backendDesired(backend, entries);
    if (desired.removing !== true || isServerScope(backend)) return [];
    return changesOf(decideBackend(desired, backendObserved(backend), backend.memory, nowMs));
  });
}
