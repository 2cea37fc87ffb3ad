/** What the benchmark of supervision asks of every process manager, and the app that each of them runs. */

/** One process manager under test; apps are named a0, a1, … and note their starts in `<folder>/<name>.starts`. */
export interface Manager {
  readonly name: string;
  start(folder: string, apps: readonly string[]): Promise<void>;
  /** Pid of the manager's own process (not of its apps). */
  managerPids(): readonly number[];
  /** Before each kill: whatever makes the next failure count as the first. */
  reset(app: string): Promise<void>;
  stop(): Promise<void>;
}

/** Notes wall time in nanoseconds and its pid, then sleeps as the same process. */
export const backendScript = `#!/bin/sh
echo "$(date +%s%N) $$" >> "$STARTS_FOLDER/$1.starts"
exec sleep 86400
`;
