/**
 * Where things stand on a server (rules 2.6). Pure string work. `prefix` is '' on a real server; tests and the embedded default put a whole server
 * below a folder.
 */
export interface ServerPlace {
  /** Home of the account, absolute. */
  readonly home: string;
  /** Put before /opt and /var/lib; '' or an absolute folder. */
  readonly prefix: string;
}

/** Names that start with a dot or hold one can't clash with an app id (app-id.ts). */
export function accountPaths(place: ServerPlace) {
  const root = `${place.home}/.svc-apps`;
  return {
    root,
    supervisorSocket: `${root}/supervisor.sock`,
    supervisorLock: `${root}/supervisor.lock`,
    supervisorLog: `${root}/supervisor.log`,
    /** The highest number that an order had. */
    leader: `${root}/supervisor.leader`,
    systemApps: `${place.prefix}/opt/svc-apps`,
    personApps: `${place.home}/.local/share/svc-apps`,
    engines: `${place.prefix}/var/lib/svc-motores`,
  } as const;
}

/** Debian's list of installed packages: every change of it is another file of that name. */
export const dpkgStatusFile = '/var/lib/dpkg/status';

/** The kit's own on a server: nothing else is in there. Decision: docs/decisions/0315-only-what-the-kit-made.md */
const serverConfiguration = '/etc/svc-kit';

export function appPaths(place: ServerPlace, app: string) {
  const dir = `${place.home}/.svc-apps/${app}`;
  return {
    dir,
    env: `${dir}/env`,
    socket: `${dir}/app.sock`,
    runLog: `${dir}/run.log`,
    previousRunLog: `${dir}/run.log.1`,
    runPid: `${dir}/run.pid`,
    status: `${dir}/status.json`,
    limits: `${dir}/limits.json`,
    secrets: `${dir}/secrets.json`,
    /** Marker of an app in set-up. Source: rules 3.1 step 4. */
    comingUp: `${dir}/subindo`,
    /** Written by the app before it deletes its env file: it ends from within (Quit in a menu). The next launch removes it. */
    endedByItself: `${dir}/encerrado`,
    /** Holds the hash whose installCommand was run. Source: rules 3.1 step 5. */
    setUpHash: `${dir}/installed.hash`,
    launchLock: `${dir}/launch.lock`,
    /** State of the job that the app runs as, written by kit/job/session.sh. */
    jobState: `${dir}/job.state`,
    data: `${dir}/data`,
  } as const;
}

/** A server-scope app: one backend for all accounts, under its own account. Source: rules 2.1 `escopo`. */
export function serverAppPaths(app: string) {
  const state = `/var/lib/svc-apps/${app}`;
  const run = `/run/svc-apps/${app}`;
  return {
    account: `svc-${app}`,
    unit: `svc-app-${app}.service`,
    unitFile: `/etc/systemd/system/svc-app-${app}.service`,
    run,
    socket: `${run}/app.sock`,
    /** Home of the account and data of the app. */
    state,
    /** SVC_PORTAL_… of the next start: root's, 0600, read by the service manager before it gives up its rights. */
    portalEnv: `${serverConfiguration}/portal/${app}.env`,
  } as const;
}

/** Written by the portal with the kit: `path` when all apps share one origin (Portal.spec.origins). */
export const serverOriginsFile = `${serverConfiguration}/origins`;

/** `{ "share": true }`: the administrator lets any number of apps use a card at once. */
export const serverGpuFile = `${serverConfiguration}/gpu.json`;
