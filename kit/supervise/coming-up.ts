/**
 * From the start of a process to its socket. Its steps show in files, and a watch reports them at once where there is one: an account has 128 of
 * them for all its processes (fs.inotify.max_user_instances), so a start must not rest on that. A starting app is observed often at first, then in
 * proportion to the time that has passed. Decision: docs/decisions/0268-rounds-of-apps-at-rest.md
 */
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { pathState } from '../atomic-file.ts';
import { observeSocket, observeTcpPorts } from './observe.ts';
import { later, type App, type Live, type Supervisor } from './app-state.ts';

/** Looks until `isAwaited` says no; `passedMs` is what the waits so far add up to, which no clock can set back. */
export function lookOften(app: App, isAwaited: (passedMs: number) => boolean, look: () => void, passedMs = 0): void {
  const waitMs = Math.min(limits.comingUpLookMsMax, Math.max(limits.comingUpLookMs, passedMs * limits.comingUpLookPart));
  later(app, waitMs, () => {
    if (!isAwaited(passedMs)) return;
    look();
    lookOften(app, isAwaited, look, passedMs + waitMs);
  });
}

/** Until it listens, ends, or binds none: from then on the passes look. */
export function lookForSocket(supervisor: Supervisor, app: App, live: Live): void {
  lookOften(
    app,
    (passedMs) =>
      app.process === live && app.supervision.state === 'starting' && app.socket !== 'listening' && passedMs < limits.neverBoundWindowMs,
    () => {
      // A socket that exists and does not listen yet is observed already.
      if (app.socket === 'absent' && pathState(app.paths.socket).kind === 'present') void observeSocket(supervisor, app);
    },
  );
}

/** A process is there and its socket is not yet. */
export function comingUp(supervisor: Supervisor, app: App): void {
  app.message = '';
  app.socket = 'absent';
  app.step = { name: 'socket', detail: '', atMs: supervisor.nowMs() };
  app.lastUseMs = supervisor.nowMs();
  app.connections = null;
  const live = app.process;
  for (const delayMs of [limits.neverBoundMs, limits.neverBoundMs * 2, sharedLimits.probeAttemptsMax * sharedLimits.probeIntervalMs]) {
    later(app, delayMs + 50, () => {
      if (app.process !== live) return;
      observeTcpPorts(supervisor, app);
      supervisor.changed(app);
    });
  }
  if (live !== null) lookForSocket(supervisor, app, live);
}
