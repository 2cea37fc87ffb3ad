/**
 * A Grant document: a room with that app and declared name, its owner, and roles of people and groups in it. The roles of the document are applied,
 * and restored when they are taken away; roles that people gave stay; a removed document takes back what it granted and keeps the room. Decision:
 * docs/decisions/0095-who-is-in-a-room.md
 */
import type { Condition, Reason } from '../schema/backend.ts';
import { keys } from '../schema/keys.ts';
import type { Papel, PapelConcedido } from '../schema/rooms.ts';
import type { Action } from './actions.ts';
import { stampConditions, type ConditionMemory } from './conditions.ts';
import type { Decision } from './decision.ts';
import { fields, remember, since, type MemoryShape } from './memory.ts';

export interface GrantDesired {
  readonly name: string;
  readonly generation: number;
  /** Null: the document is leaving. */
  readonly spec: {
    readonly app: string;
    readonly sala: string;
    readonly dona: string;
    /** The owner may be named here too; that adds nothing. */
    readonly pessoas: readonly { readonly usuario: string; readonly papel: Papel }[];
    readonly grupos: readonly { readonly grupo: string; readonly papel: PapelConcedido }[];
  } | null;
}

type GrantSpec = NonNullable<GrantDesired['spec']>;

/** A role in a room, by name or by group. */
export interface GrantRow {
  readonly name: string;
  readonly papel: PapelConcedido;
  readonly declaredBy: string | null;
}

export interface GrantRoom {
  readonly id: string;
  readonly dona: string;
  readonly people: readonly GrantRow[];
  readonly groups: readonly GrantRow[];
}

export interface GrantObserved {
  /** With the declared name; null: there is none yet. */
  readonly room: GrantRoom | null;
  /** Other rooms in which this document still wants something: it said another name before. */
  readonly others: readonly GrantRoom[];
  readonly people: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  /** At least one person has the app. */
  readonly appKnown: boolean;
  /** Message of the refused last attempt; null when it succeeded. */
  readonly refused: string | null;
}

export interface GrantMemory {
  readonly since: ConditionMemory;
}

export const grantMemory: MemoryShape<GrantMemory> = { version: 1, read: fields<GrantMemory>({ since }) };

export interface GrantDecision extends Decision<GrantMemory> {
  readonly state: 'granted' | 'granting' | 'waiting' | 'refused' | 'leaving';
}

export function decideGrant(desired: GrantDesired, observed: GrantObserved, memory: GrantMemory | null, nowMs: number): GrantDecision {
  const missing = missingOf(desired, observed);
  const actions = actionsOf(desired, observed);
  const status = statusOf(desired, observed, actions, missing);
  const ready = status.state === 'granted' ? 'True' : 'False';
  const progressing: Condition['status'] = actions.length > 0 ? 'True' : 'False';
  const { reason, message } = status;
  const stamped = stampConditions(
    [
      { type: 'Ready', status: ready, reason, message },
      { type: 'Progressing', status: progressing, reason, message },
    ],
    memory?.since,
    desired.generation,
    nowMs,
  );
  return {
    ...status,
    actions,
    conditions: stamped.conditions,
    // A role that was taken away in a page is restored at the next resync.
    nextDeadlineMs: null,
    memory: remember(memory, { since: stamped.memory }),
  };
}

function actionsOf(desired: GrantDesired, observed: GrantObserved): readonly Action[] {
  const { name, spec } = desired;
  const { room, others } = observed;
  const withdrawn = [...others, ...(room === null ? [] : [room])].flatMap((each) => withdrawalsOf(desired, each, each === room));
  if (spec === null) return withdrawn.length > 0 ? withdrawn : [{ kind: 'object/forget', key: keys.grant(name) }];
  const { app, sala, dona } = spec;
  if (room === null) {
    return observed.appKnown && observed.people.has(dona)
      ? [...withdrawn, { kind: 'grant/create', grant: name, app, sala, dona }]
      : withdrawn;
  }
  const owner: Action[] =
    room.dona !== dona && observed.people.has(dona) ? [{ kind: 'grant/owner', grant: name, app, room: room.id, dona }] : [];
  return [...withdrawn, ...owner, ...rolesOf(name, spec, observed, room)];
}

/** Roles that the document wanted and wants no longer. */
function withdrawalsOf({ name, spec }: GrantDesired, room: GrantRoom, isWanted: boolean): readonly Action[] {
  const people = new Set(isWanted ? spec?.pessoas.map(({ usuario }) => usuario) : []);
  const groups = new Set(isWanted ? spec?.grupos.map(({ grupo }) => grupo) : []);
  const mine = (rows: readonly GrantRow[], wanted: ReadonlySet<string>): readonly string[] =>
    rows.flatMap((row) => (row.declaredBy === name && !wanted.has(row.name) ? [row.name] : []));
  return [
    ...mine(room.people, people).map((usuario): Action => ({ kind: 'grant/withdraw-person', grant: name, room: room.id, usuario })),
    ...mine(room.groups, groups).map((grupo): Action => ({ kind: 'grant/withdraw-group', grant: name, room: room.id, grupo })),
  ];
}

function rolesOf(name: string, spec: GrantSpec, observed: GrantObserved, room: GrantRoom): readonly Action[] {
  const isThere = (rows: readonly GrantRow[], whom: string, papel: Papel): boolean =>
    rows.some((row) => row.name === whom && row.papel === papel && row.declaredBy === name);
  const people = spec.pessoas.flatMap(({ usuario, papel }): readonly Action[] => {
    if (papel === 'dona' || usuario === spec.dona || usuario === room.dona || !observed.people.has(usuario)) return [];
    return isThere(room.people, usuario, papel) ? [] : [{ kind: 'grant/person', grant: name, room: room.id, usuario, papel }];
  });
  const groups = spec.grupos.flatMap(({ grupo, papel }): readonly Action[] => {
    // A group without people has no effect: it is granted when a person joins it.
    if (!observed.groups.has(grupo) || isThere(room.groups, grupo, papel)) return [];
    return [{ kind: 'grant/group', grant: name, room: room.id, grupo, papel }];
  });
  return [...people, ...groups];
}

/** References of the document that are unknown. */
function missingOf({ spec }: GrantDesired, { people, groups, appKnown, room }: GrantObserved): readonly string[] {
  if (spec === null) return [];
  const unknown = [spec.dona, ...spec.pessoas.map(({ usuario }) => usuario)].filter((usuario) => !people.has(usuario));
  return [
    ...(appKnown || room !== null ? [] : [`the app ${spec.app}`]),
    ...[...new Set(unknown)].map((usuario) => `the person ${usuario}`),
    ...spec.grupos.flatMap(({ grupo }) => (groups.has(grupo) ? [] : [`somebody in the group ${grupo}`])),
  ];
}

interface Status {
  readonly state: GrantDecision['state'];
  readonly reason: Reason;
  readonly message: string;
}

function statusOf({ spec }: GrantDesired, { refused }: GrantObserved, actions: readonly Action[], missing: readonly string[]): Status {
  if (spec === null) return { state: 'leaving', reason: 'DocumentRemoved', message: 'what it gave is taken back' };
  if (actions.length > 0) {
    if (refused !== null) return { state: 'refused', reason: 'GrantRefused', message: refused };
    return { state: 'granting', reason: 'Granting', message: `${actions.length} to change in the room ${spec.sala}` };
  }
  if (missing.length > 0) return { state: 'waiting', reason: 'ReferenceMissing', message: `waits for ${missing.join(', ')}` };
  return { state: 'granted', reason: 'Granted', message: `in the room ${spec.sala} of ${spec.app}` };
}
