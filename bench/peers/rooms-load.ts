/**
 * The load of the rooms benchmark, a process of its own on CPU 1. argv: one JSON object (LoadOrder). Prints the LoadResult as its last
 * line; the memory scenario says `warm` and `loaded` before and waits for a line after each.
 */
import { accessOf, type ServerFacts } from './rooms-access.ts';
import { edits, memory, storms } from './rooms-documents.ts';
import { fanOut, manyRooms, presence, type ScenarioInput } from './rooms-fanout.ts';
import { unwantedGuests } from './rooms-hostile.ts';
import type { LoadResult } from './rooms-measure.ts';

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
  readonly pid: number;
  readonly seconds: number;
}

if (import.meta.main) {
  const { scenario, facts, pid, seconds } = JSON.parse(process.argv[2]!) as LoadOrder;
  const result = await loadScenarios[scenario]({ access: accessOf(facts), dialect: facts.dialect, pid, seconds });
  console.log(JSON.stringify(result));
  process.exit(0);
}
