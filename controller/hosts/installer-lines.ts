/** Parses the output of `svc-app-install --json` line by line. The server is not trusted: any other line is ignored. */
import { appIdPattern } from '../../schema/app-id.ts';
import { lineShape } from '../../schema/compile-shape.ts';
import { errorKinds, SvcError, type ErrorCode } from '../../schema/errors.ts';
import type { InstallEvent, InstallLine, InstallOutcome } from '../../schema/install-events.ts';

const text = (maxLength: number): object => ({ type: 'string', maxLength });
const nullableText = (maxLength: number): object => ({ type: ['string', 'null'], maxLength });
const count = { type: 'integer', minimum: 0 } as const;
const name = text(256);

/** Open: a newer kit may say more. What we read of a line is checked. */
const lineOf = (event: string, properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties: { event: { const: event }, ...properties },
  required: ['event', ...Object.keys(properties)],
});

const trouble = lineShape({
  anyOf: [
    lineOf('step', { step: name }),
    lineOf('download', { nome: name, versao: name, bytes: count, total: count, etaMs: { type: ['number', 'null'] } }),
    lineOf('engine', { step: name, nome: name, versao: name }),
    lineOf('done', {
      result: name,
      app: { type: 'string', pattern: appIdPattern },
      scope: { enum: ['sistema', 'pessoa'] },
      version: nullableText(256),
      hash: nullableText(64),
      before: nullableText(256),
      ended: count,
    }),
    lineOf('look', {
      missing: { type: 'array', maxItems: 10_000, items: text(1_024) },
      engines: {
        type: 'array',
        maxItems: 10_000,
        items: {
          type: 'object',
          properties: { app: name, nome: name, versao: name, bytes: { type: ['integer', 'null'] } },
          required: ['app', 'nome', 'versao', 'bytes'],
        },
      },
      gpu: { type: 'boolean' },
    }),
    lineOf('error', { code: text(64), message: text(65_536), details: { type: 'object' } }),
  ],
});

/** Collects the lines of one run: events go on at once, the outcome is kept. */
export interface InstallerLines {
  take(line: string): void;
  /**
   * `ended` says how the command ended. Throws the coded error that it printed, or INSTALLER_DIED when it printed none (killed or broken).
   */
  outcome(ended: string, aborted: boolean): Exclude<InstallOutcome, { readonly event: 'error' }>;
}

export function createInstallerLines(onEvent: (event: InstallEvent) => void): InstallerLines {
  let outcome: InstallOutcome | null = null;
  return {
    take: (line) => {
      const read = readLine(line);
      if (read === null) return;
      if (read.event === 'done' || read.event === 'error' || read.event === 'look') outcome = read;
      else onEvent(read);
    },
    outcome: (ended, aborted) => {
      // Ended before it could listen to the signal.
      if (outcome === null && aborted) throw new SvcError('CANCELLED', 'the installation was cancelled');
      if (outcome === null) throw new SvcError('INSTALLER_DIED', `svc-app-install ended with ${ended}`);
      if (outcome.event !== 'error') return outcome;
      const code: ErrorCode = Object.hasOwn(errorKinds, outcome.code) ? outcome.code : 'INTERNAL';
      throw new SvcError(code, outcome.message, outcome.details);
    },
  };
}

function readLine(line: string): InstallLine | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  return trouble(value) === null ? (value as InstallLine) : null;
}
