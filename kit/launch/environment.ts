/** The environment of a backend before the person's secrets: a clean base, the wish, and last what the launcher sets (rules 2.6). */
import { ceilingsVariable, clusterVariable } from '../../schema/supervisor-protocol.ts';
import { accountPaths, appPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { sdkFolder, searchPath } from '../place.ts';
import { hiddenGpus } from './gpu-verdict.ts';
import { pinnedVariable, requestVariable, type Variables } from './env-file.ts';

/** Taken over from the caller's environment; everything else of it stays outside. Decision: docs/decisions/0021-environment-of-a-backend.md */
const inherited = ['LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'XDG_RUNTIME_DIR'] as const;

/** Where tests plant the /sys and /dev of other hardware; absolute. It never reaches an app. */
const gpuRootVariable = 'SVC_GPU_ROOT';

/** Marks a launcher that the supervisor started; removed from the environment of the app. */
export const launchedVariable = 'SVC_APP_LAUNCHED';

export function gpuRootFrom(environment: Readonly<Record<string, string | undefined>>): string {
  const root = environment[gpuRootVariable] ?? '';
  return root.startsWith('/') && root !== '/' ? root : '';
}

export interface EnvironmentInput {
  readonly place: ServerPlace;
  readonly app: string;
  readonly kitRoot: string;
  readonly nodeExecutable: string;
  readonly caller: Readonly<Record<string, string | undefined>>;
  readonly wish: Variables;
  readonly engines: Variables;
  readonly hash: string;
  /** False hides every card from the usual runtimes. Source: rules 3.1 step 6. */
  readonly gpuDeclared: boolean;
}

export function backendEnvironment(input: EnvironmentInput): Record<string, string> {
  const { place, app } = input;
  const base = inherited.flatMap((name) => {
    const value = input.caller[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    LANG: 'C.UTF-8',
    ...Object.fromEntries(base),
    HOME: place.home,
    // Last: an entrypoint finds svc-wrap there, where no administrator has one of that name.
    PATH: `${searchPath(place, input.nodeExecutable)}:${input.kitRoot}/bin`,
    ...wishOfApp(input.wish),
    ...Object.fromEntries(input.engines),
    ...appMark(place, app),
    SVC_APP_INSTALLED_HASH: input.hash,
    SVC_APP_DATA_DIR: input.wish.get('SVC_APP_DATA_DIR') ?? appPaths(place, app).data,
    PYTHONPATH: `${sdkFolder(input.kitRoot)}/python`,
    NODE_PATH: `${sdkFolder(input.kitRoot)}/node`,
    ...(input.gpuDeclared ? {} : hiddenGpus),
  };
}

const launcherOnly: ReadonlySet<string> = new Set([pinnedVariable, requestVariable, ceilingsVariable, clusterVariable]);

/** The variables of the env file without those that are for the supervisor alone. */
function wishOfApp(wish: Variables): Record<string, string> {
  return Object.fromEntries([...wish].filter(([name]) => !launcherOnly.has(name)));
}

/** The variables by which a process is known as one of the app. */
export function appMark(place: ServerPlace, app: string): { readonly SVC_APP_ID: string; readonly SVC_APP_SOCKET: string } {
  return { SVC_APP_ID: app, SVC_APP_SOCKET: appPaths(place, app).socket };
}

/** The environment in which we start a launcher: only the variables that it needs. */
export function launcherEnvironment(
  place: ServerPlace,
  app: string,
  kit: string,
  caller: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed = [...inherited, 'NODE_COMPILE_CACHE', 'SVC_KIT_SOURCE', 'SVC_NODE', 'SVC_FAULT_POINT', gpuRootVariable] as const;
  const kept = passed.flatMap((name) => (caller[name] === undefined ? [] : [[name, caller[name]] as const]));
  return {
    ...Object.fromEntries(kept),
    ...appMark(place, app),
    HOME: place.home,
    SVC_PREFIX: place.prefix,
    SVC_KIT: kit,
    SVC_APP_DETACHED: '1',
    [launchedVariable]: '1',
    PATH: searchPath(place, process.execPath),
  };
}

/** Folders that must be there and the person's own (0700) before anything is written. */
export function accountFolders(place: ServerPlace, app: string): readonly string[] {
  return [accountPaths(place).root, appPaths(place, app).dir];
}
