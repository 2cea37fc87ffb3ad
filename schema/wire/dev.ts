/** Answers of `svc dev` to the desktop of an app's author (`GET /api/dev`). Decision: docs/decisions/0244-svc-dev.md */
import { type Wire, closed, count, list, nullable, oneOf, orNull, text } from '../static.ts';
import { reason } from './http.ts';

/** Where a line of the log comes from: what the backend prints, what it logs, a change that `svc dev` saw, what build.sh prints. */
const devSources = ['run', 'app', 'dev', 'build'] as const;

/** Outcome of a change. */
const devOutcomes = ['working', 'ready', 'reloaded', 'crashed', 'slow', 'refused', 'failed', 'building', 'built', 'unbuilt'] as const;
export type DevOutcome = (typeof devOutcomes)[number];

const change = closed({
  /** Files that changed, below the folder; none: the start. */
  files: list(text),
  outcome: oneOf(devOutcomes),
  atMs: count,
  /** From the change to the answer; null: not yet. */
  tookMs: nullable('integer'),
  /** Why the backend is not up; null: it is, or nothing of it was asked. */
  reason: orNull(reason),
  /** How it ended, or what went wrong, as the system says it. */
  detail: text,
});
export type DevChange = Wire<typeof change>;

export const devAnswer = closed({
  app: text,
  /** The folder as it is on the disk of the author. */
  folder: text,
  mode: oneOf(['folder', 'packed', 'server']),
  /** Errors of the manifest, each with its place in several lines; while there are any the last good one is in force. */
  manifest: list(text),
  last: orNull(change),
  /** The end of it, oldest first. */
  log: list(closed({ source: oneOf(devSources), person: text, text, change: orNull(change) })),
});
export type DevAnswer = Wire<typeof devAnswer>;
