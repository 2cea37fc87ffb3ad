/**
 * The load of the rooms benchmark, a process of its own on CPU 1. argv: one JSON object (LoadOrder). Prints the LoadResult as its last
 * line; before each slice it says so in a line and waits for one (rooms-turns.ts).
 */
import { accessOf, type ServerFacts } from './rooms-access.ts';
import { edits, memory, storms } from './rooms-documents.ts';
import { fanOut, manyRooms } from './rooms-fanout.ts';
import { unwantedGuests } from './rooms-hostile.ts';
import type { LoadResult, ScenarioInput, ServerProcesses } from './rooms-measure.ts';
import { presence } from './rooms-presence.ts';
import { ourTurn } from './rooms-turns.ts';

export const loadScenarios = {
  fanout: fanOut,
  rooms: manyRooms,
  memory,
  edits,
  storm: storms,
  presence,
  guests: unwantedGuests,
} satisfies Readonly<Record<string, (input: ScenarioInput) => Promise<LoadResult>>>;

export type ScenarioName = keyof typeof loadScenarios;

export interface LoadOrder {
  readonly scenario: ScenarioName;
  readonly facts: ServerFacts;
  readonly work: ServerProcesses;
  readonly seconds: number;
  readonly slices: number;
}

if (import.meta.main) {
  const { scenario, facts, work, seconds, slices } = JSON.parse(process.argv[2]!) as LoadOrder;
  const [pid = -1] = work.pids;
  const input = { access: accessOf(facts), dialect: facts.dialect, pid, work, seconds, slices, turn: ourTurn };
  const result = await loadScenarios[scenario](input);
  console.log(JSON.stringify(result));
  process.exit(0);
}
