/**
 * Scripts of apps in the shell: each calls a global function with what its app brings. A script runs once in a page for each version of its app;
 * one that does not load, throws, or does not register in time is a rejection and nothing else. A script that never gives the processor back
 * can't be stopped: it has the shell's trust. Decisions: docs/decisions/0204-scripts-in-the-shell.md, 0205-engines-in-the-environment.md
 */
import { text, type Language } from '../i18n/i18n.ts';
import { errorLine } from './error-line.ts';

/** From the request for a script until it registered, and for what it registered to begin. */
export const scriptMsMax = 10_000;

export interface Registry<Registered> {
  /** `address` names the version of the script. Rejects with why nothing was registered; the next call tries again. */
  load(app: string, address: string): Promise<Registered>;
}

/** A registration of a script. A call outside of the script's first run also names its `app`. */
export interface Registered {
  readonly app?: string;
}

export interface RegistryOptions<Kind> {
  /** As scripts write it: `SettingsRegistry.register`. */
  readonly called: string;
  /** The function that `Kind` must have. */
  readonly method: keyof Kind & string;
  /** Makes the function known to scripts. */
  readonly publish: (register: (registered: Kind) => void) => void;
}

export function createRegistry<Kind extends Registered>({ called, method, publish }: RegistryOptions<Kind>): Registry<Kind> {
  const loading = new Map<string, (registered: Kind) => void>();
  const byAddress = new Map<string, Promise<Kind>>();
  let isPublished = false;
  const register = (registered: Kind): void => {
    const app = document.currentScript?.dataset['app'] ?? registered?.app ?? '';
    const take = loading.get(app);
    if (take === undefined) throw new Error(`${called}: no script of ${JSON.stringify(app)} is being loaded`);
    if (typeof registered?.[method] !== 'function') throw new TypeError(`${called}: "${method}" is not a function`);
    take(registered);
  };
  return {
    load: (app, address) => {
      const known = byAddress.get(address);
      if (known !== undefined) return known;
      if (!isPublished) publish(register);
      isPublished = true;
      const told = Promise.withResolvers<Kind>();
      loading.set(app, told.resolve);
      const script = runScript(app, address, told.promise);
      byAddress.set(address, script);
      script.catch(() => byAddress.delete(address));
      return script;
    },
  };
}

type FaultKey = 'script.notRegistered' | 'script.notLoaded' | 'script.lateToBegin' | 'script.lateToDraw';
const sayFault = (key: FaultKey, language: Language): string => text(key, { s: scriptMsMax / 1_000 }, language);

/** A fault of a script that the shell found. Its message, which logs keep, is English. */
class ScriptFault extends Error {
  readonly key: FaultKey;

  constructor(key: FaultKey) {
    super(sayFault(key, 'en'));
    this.key = key;
  }
}

/** A script's failure, in the person's language; an error that the script itself threw stays as it is. */
export function scriptFault(error: unknown, language: Language): string {
  if (error instanceof ScriptFault) return sayFault(error.key, language);
  return errorLine(error);
}

/** Rejects with `key` when the work takes too long. */
export async function within<Result>(work: Result | PromiseLike<Result>, key: FaultKey): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new ScriptFault(key)), scriptMsMax);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Loads a script of an app and waits until it has `done` its part. */
async function runScript<Done>(app: string, address: string, done: Promise<Done>): Promise<Done> {
  const failed = Promise.withResolvers<never>();
  const script = document.createElement('script');
  script.dataset['app'] = app;
  script.addEventListener('error', () => failed.reject(new ScriptFault('script.notLoaded')));
  const url = new URL(address, location.href).href;
  const threw = (event: ErrorEvent): void => {
    if (event.filename === url) failed.reject(new Error(event.message));
  };
  addEventListener('error', threw);
  script.src = url;
  document.head.append(script);
  try {
    return await within(Promise.race([done, failed.promise]), 'script.notRegistered');
  } finally {
    removeEventListener('error', threw);
    script.remove();
  }
}
