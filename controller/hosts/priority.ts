/** A program of a person goes after the portal on the machine that both share. Decision: docs/decisions/0446-the-portal-goes-first.md */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** `child` was started just now in a session of its own; what it starts goes after the portal, too. */
export function putAfterPortal({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  const nice = Math.min(getPriority() + constants.priority.PRIORITY_BELOW_NORMAL, constants.priority.PRIORITY_LOW);
  attempt(() => setPriority(pid, nice));
  // Where Linux shares the processors between sessions, a session has a figure of its own.
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(nice)));
}

/** A refusal (another kernel, an ended process) leaves everything as it is: nobody relies on the order of processes. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {}
}
