/** The interface of a kind of fault. */
import type { Random } from '../../simulation/random.ts';
import type { App, ChaosPerson, ChaosWorld } from '../world.ts';
import type { Writers } from '../writers.ts';

export interface FaultContext {
  readonly world: ChaosWorld;
  readonly writers: Writers;
  readonly person: ChaosPerson;
  readonly app: App;
  readonly random: Random;
}

export type Heal = () => Promise<void> | void;

export interface FaultKind {
  readonly name: string;
  /** The kind of its target. In one round no two faults have the same target. */
  readonly on: 'backend' | 'person' | 'package' | 'server' | 'portal' | 'yaml';
  /** Whatever it falls on, running apps go on in the processes that they have. */
  readonly spares?: true;
  /** Only these people; everybody unless given. */
  readonly people?: readonly string[];
  /** How long it lasts, ms, before the answered `heal` is called. */
  readonly holdMs?: readonly [from: number, to: number];
  readonly apply: (context: FaultContext) => Promise<Heal | void> | Heal | void;
}
