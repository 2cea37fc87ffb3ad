/** Parses the output of `svc-app-install --json` line by line. The server is not trusted: any other line is ignored. */
import { lineShape } from '../../schema/compile-shape.ts';
import { errorKinds, SvcError, type ErrorCode } from '../../schema/errors.ts';
import { installLine, type InstallEvent, type InstallLine, type InstallOutcome } from '../../schema/install-events.ts';

const trouble = lineShape(installLine);

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
      if (isOutcome(read)) outcome = read;
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

const outcomes: ReadonlySet<InstallLine['event']> = new Set([
  'done',
  'error',
  'look',
  'credential',
] satisfies readonly InstallOutcome['event'][]);
const isOutcome = (line: InstallLine): line is InstallOutcome => outcomes.has(line.event);

function readLine(line: string): InstallLine | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  return trouble(value) === null ? (value as InstallLine) : null;
}
