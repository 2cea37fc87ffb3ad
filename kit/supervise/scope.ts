/** The scope of a process, as systemd-run made it. */
import { readFileSync } from 'node:fs';

/** Its folder below /sys/fs/cgroup, or null when the process runs in no scope of svc. */
export function scopeOf(pid: number): string | null {
  try {
    return /^0::(\/.*\/svc-app-[^/]+\.scope)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}
