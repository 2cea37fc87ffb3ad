/** The edges: file events only say where to look; what is found there decides. A lost event costs 10 s. */
import { watch, type FSWatcher } from 'node:fs';
import { limits } from './limits.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import { pathState } from '../atomic-file.ts';
import { isAppId } from '../../schema/app-id.ts';
import { errorCode } from '../../schema/system-error.ts';
import { observeMarker, observePidFile } from './launching.ts';
import { observeJob } from './cluster-job.ts';
import { observePackage, observeSocket } from './observe.ts';
import { capRunLog, followWish, wakeIfChanged } from './scan.ts';
import { observeSecrets } from './secrets.ts';
import { appOf, later, type App, type Supervisor } from './app-state.ts';

export interface Edges {
  /** Watches what is there and not yet watched; called every pass, since folders come and go. */
  readonly refresh: () => void;
  readonly close: () => void;
}

export function watchEdges(supervisor: Supervisor, logChanged: (app: string) => void): Edges {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>();
  let isTold = false;
  const drop = (path: string): void => {
    watchers.get(path)?.watcher.close();
    watchers.delete(path);
  };
  const add = (path: string, onChange: (name: string) => void): void => {
    const file = pathState(path);
    const known = watchers.get(path);
    // A folder that was deleted and made again is another one: the watch is still on the old.
    if (known !== undefined && (file.kind === 'unknown' || (file.kind === 'present' && file.stat.ino === known.inode))) return;
    drop(path);
    if (file.kind !== 'present') return;
    try {
      const watcher = watch(path, (_kind, name) => {
        if (name === null) return;
        try {
          onChange(name);
        } catch (error) {
          // The next pass retries.
          supervisor.log('edge-failed', { path, name, error: error instanceof Error ? error.message : String(error) });
        }
      });
      watcher.on('error', () => drop(path));
      watchers.set(path, { watcher, inode: file.stat.ino });
    } catch (error) {
      // Missing, or out of watches: the passes do it alone, and starts look for themselves (coming-up.ts).
      if (!isTold) supervisor.log('not-watched', { path, code: errorCode(error) });
      isTold = true;
    }
  };
  const onLog = logWatch(supervisor, logChanged);
  const watchApp = (app: App): void => {
    // The pass has just seen the folder.
    if (app.folder !== null && watchers.get(app.paths.dir)?.inode === app.folder.inode) return;
    add(app.paths.dir, (name) => {
      if (name === 'run.log') onLog(app);
      else {
        app.isTouched = true;
        onAppFile(supervisor, app, name);
      }
    });
    app.isFolderWatched = watchers.has(app.paths.dir);
  };
  const paths = accountPaths(supervisor.place);
  const onPackages = (name: string): void => {
    if (!isAppId(name)) return;
    const app = appOf(supervisor, name);
    // The package is renamed into place; a change of its manifest alone is seen by the next pass.
    void observePackage(supervisor, app);
    wakeIfChanged(supervisor, app);
  };
  return {
    refresh: () => {
      add(paths.root, (name) => {
        if (!isAppId(name)) return;
        const app = appOf(supervisor, name);
        app.folder = null;
        watchApp(app);
        // Takes up env files that were written before the watch began.
        followWish(supervisor, app);
      });
      add(paths.personApps, onPackages);
      add(paths.systemApps, onPackages);
      for (const app of supervisor.apps.values()) watchApp(app);
    },
    close: () => {
      for (const path of watchers.keys()) drop(path);
    },
  };
}

function logWatch(supervisor: Supervisor, logChanged: (app: string) => void): (app: App) => void {
  const checks = new Set<string>();
  return (app) => {
    logChanged(app.id);
    // A chatty app must not make us look at every write of it.
    if (checks.has(app.id)) return;
    checks.add(app.id);
    later(app, limits.runLogCheckMs, () => {
      checks.delete(app.id);
      capRunLog(supervisor, app);
    });
  };
}

function onAppFile(supervisor: Supervisor, app: App, name: string): void {
  switch (name) {
    case 'env':
      followWish(supervisor, app);
      wakeIfChanged(supervisor, app);
      break;
    case 'app.sock':
      void observeSocket(supervisor, app);
      wakeIfChanged(supervisor, app);
      break;
    case 'job.state':
      observeJob(supervisor, app);
      break;
    case 'run.pid':
      observePidFile(supervisor, app);
      break;
    case 'subindo':
      observeMarker(supervisor, app);
      break;
    case 'secrets.json':
      observeSecrets(supervisor, app);
      wakeIfChanged(supervisor, app);
      break;
    default:
      break;
  }
}
