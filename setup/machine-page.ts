/** The machines as lists: below each state a line for each event, its conditions in the order in which the conditions are tried. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { backendMachine } from '../machines/backend.ts';
import { jobMachine } from '../machines/job.ts';
import { roomConnectionMachine } from '../machines/room-connection.ts';
import { supervisionMachine } from '../machines/supervision.ts';

const machines: readonly { readonly title: string; readonly file: string; readonly machine: AnyStateMachine }[] = [
  { title: 'Backend, as the portal drives it (rules 3.2, 3.3)', file: 'machines/backend.ts', machine: backendMachine },
  { title: 'Supervision of one app (rules 3.3)', file: 'machines/supervision.ts', machine: supervisionMachine },
  { title: 'A job of the queue', file: 'machines/job.ts', machine: jobMachine },
  { title: 'Connection to a room (rules 3.4)', file: 'machines/room-connection.ts', machine: roomConnectionMachine },
];

interface Row {
  /** Path below the machine; a region or group that holds others means each of them. */
  readonly state: string;
  readonly event: string;
  readonly when: string;
  readonly next: string;
  readonly effects: string;
}

function rowsOf(machine: AnyStateMachine): readonly Row[] {
  const rows: Row[] = [];
  const visit = (node: AnyStateNode): void => {
    for (const transitions of node.transitions.values()) for (const each of transitions) rows.push(rowOf(node, each));
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root);
  return rows;
}

function rowOf(node: AnyStateNode, { eventType, guard, target, actions }: AnyTransitionDefinition): Row {
  const path = node.path.join('.');
  const effects = actions.map(nameOf).filter((name) => name !== 'xstate.assign');
  return {
    state: Object.keys(node.states).length === 0 ? path : `${path} (any)`,
    event: eventType,
    when: conditionOf(guard),
    next: target?.map(({ path: at }) => at.join('.')).join(', ') ?? '',
    effects: effects.join(', '),
  };
}

function nameOf(action: unknown): string {
  if (typeof action === 'string') return action;
  const { type } = action as { readonly type?: string };
  return type ?? '';
}

/** `and`, `not` and `stateIn` are functions of XState that carry what they were made of. */
function conditionOf(guard: unknown): string {
  if (guard === undefined) return '';
  if (typeof guard === 'string') return guard;
  const { check, guards, stateValue } = guard as Record<string, unknown>;
  if (stateValue !== undefined) return `in ${JSON.stringify(stateValue).replaceAll(/[{}"]/g, '').replace(':', '.')}`;
  const parts = Array.isArray(guards) ? guards.map(conditionOf) : [];
  if (typeof check !== 'function' || parts.length === 0) throw new Error(`a condition without a name: ${JSON.stringify(guard)}`);
  return check.name === 'checkNot' ? `not ${parts.join('')}` : parts.join(' and ');
}

/** `when it holds → next state; effects` */
function turnOf({ when, next, effects }: Row): string {
  const parts = [when, next === '' ? '' : `→ ${next}`].filter((part) => part !== '').join(' ');
  return `${parts === '' && effects === '' ? 'stays' : parts}${effects === '' ? '' : `; ${effects}`}`;
}

const lineOf = ([event, rows]: readonly [string, readonly Row[]]): string => `- ${event}: ${rows.map(turnOf).join(' · ')}`;

function listOf({ title, file, machine }: (typeof machines)[number]): string {
  const states = [...Map.groupBy(rowsOf(machine), ({ state }) => state)];
  const lists = states.map(([state, rows]) => {
    const events = [...Map.groupBy(rows, ({ event }) => event)];
    return `**${state}**\n\n${events.map(lineOf).join('\n')}\n`;
  });
  return [`## ${title}`, '', `\`${file}\``, '', lists.join('\n')].join('\n');
}

export function machinesPage(): string {
  const head = [
    '# State machines',
    '',
    'Below each state a line for each event: condition, next state, and after a semicolon the effects. An event that is',
    'not listed changes nothing; the first condition that holds decides; without a next state the state stays.',
    '',
  ];
  return [...head, machines.map(listOf).join('\n')].join('\n');
}
