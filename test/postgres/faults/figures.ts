/** Measured figures of the rounds, as a table: a row for each kind of fault. */
import type { Again } from './editors.ts';

export interface Round {
  readonly fault: string;
  /** Another portal leads after it than before. */
  readonly isChanged: boolean;
  /** From the fault to another portal that leads; null: it hit another one, or the same one leads. */
  readonly ledMs: number | null;
  /** From the fault to the first order of the new leader that a supervisor received. */
  readonly actedMs: number | null;
  /** Times of the rooms that the portal had. */
  readonly rooms: readonly Again[];
  /** From the end of the fault until every edit was in every document. */
  readonly settledMs: number;
  readonly roundMs: number;
}

export function figuresTable(rounds: readonly Round[]): string {
  const kinds = [...new Set(rounds.map(({ fault }) => fault))].toSorted();
  const rows = [
    ...kinds.map((kind) =>
      row(
        kind,
        rounds.filter(({ fault }) => fault === kind),
      ),
    ),
    row('all', rounds),
  ];
  return [
    '| fault | rounds | who led was hit, and another one led | led again otherwise | it led after, p50 / p99 ms | first word to a supervisor, p50 / p99 ms | rooms | room takes edits again, p50 / p99 ms | all hear all, p50 / p99 ms | all edits everywhere after the end, p50 / p99 ms | a round, p50 s |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function row(name: string, rounds: readonly Round[]): string {
  const led = rounds.flatMap(({ ledMs }) => ledMs ?? []);
  const acted = rounds.flatMap(({ actedMs }) => actedMs ?? []);
  const rooms = rounds.flatMap((round) => round.rooms);
  const cells = [
    name,
    rounds.length,
    led.length,
    rounds.filter(({ isChanged, ledMs }) => isChanged && ledMs === null).length,
    share(led),
    share(acted),
    rooms.length,
    share(rooms.map(({ first }) => first)),
    share(rooms.map(({ whole }) => whole)),
    share(rounds.map(({ settledMs }) => settledMs)),
    Math.round(
      at(
        rounds.map(({ roundMs }) => roundMs),
        0.5,
      ) / 1_000,
    ),
  ];
  return `| ${cells.join(' | ')} |`;
}

const share = (values: readonly number[]): string => (values.length === 0 ? '' : `${at(values, 0.5)} / ${at(values, 0.99)}`);

function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
}
