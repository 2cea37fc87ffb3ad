/**
 * Scripts of apps in the shell. A section of Settings: `contributes.settings` is loaded when Settings opens, and says what it shows with
 *
 *   SettingsRegistry.register({ titulo?, montar(elemento, { app, idioma, tema }) })
 *
 * A call outside of the script's first run also names its `app`. `montar` draws into `elemento` and may return a function that ends it. What
 * throws, does not load, or does not register in time is a section that says so, and nothing else of Settings is touched. A script that never
 * gives the processor back can't be stopped: it has the shell's trust. Decision: docs/decisions/0204-scripts-in-the-shell.md
 */
import type { AppSettings } from '../../schema/wire/settings.ts';

export interface SectionEnvironment {
  readonly app: string;
  readonly idioma: string;
  readonly tema: 'claro' | 'escuro';
}

export interface RegisteredSection {
  readonly app?: string;
  /** The name of the app without it. */
  readonly titulo?: string;
  readonly montar: (elemento: HTMLElement, ambiente: SectionEnvironment) => unknown;
}

/** From the request for a script until it registered. */
export const scriptMsMax = 10_000;

interface Loading {
  readonly section: Promise<RegisteredSection>;
  readonly registered: (section: RegisteredSection) => void;
}

const loading = new Map<string, Loading>();
/** By address, which names the version: a script runs once in a page. */
const byAddress = new Map<string, Promise<RegisteredSection>>();

function register(section: RegisteredSection): void {
  const app = document.currentScript?.dataset['app'] ?? section?.app ?? '';
  const waiting = loading.get(app);
  if (waiting === undefined) throw new Error(`SettingsRegistry.register: no section of ${JSON.stringify(app)} is being loaded`);
  if (typeof section.montar !== 'function') throw new TypeError('SettingsRegistry.register: "montar" is not a function');
  waiting.registered(section);
}

/** Rejects with why there is none. */
export function loadSection({ id, secao }: Pick<AppSettings, 'id' | 'secao'>): Promise<RegisteredSection> {
  if (secao === null) return Promise.reject(new Error('the app has no section'));
  const known = byAddress.get(secao.endereco);
  if (known !== undefined) return known;
  if (!('SettingsRegistry' in globalThis))
    Object.defineProperty(globalThis, 'SettingsRegistry', { value: Object.freeze({ register }), configurable: true });
  const told = Promise.withResolvers<RegisteredSection>();
  loading.set(id, { section: told.promise, registered: told.resolve });
  const section = runScript(id, secao.endereco, told.promise);
  byAddress.set(secao.endereco, section);
  // The next opening of Settings tries again.
  section.catch(() => byAddress.delete(secao.endereco));
  return section;
}

/** Loads a script of an app and waits until it has `done` its part. */
export async function runScript<T>(app: string, address: string, done: Promise<T>): Promise<T> {
  const failed = Promise.withResolvers<never>();
  const script = document.createElement('script');
  script.dataset['app'] = app;
  script.addEventListener('error', () => failed.reject(new Error('the script could not be loaded')));
  const url = new URL(address, location.href).href;
  const threw = (event: ErrorEvent): void => {
    if (event.filename === url) failed.reject(new Error(event.message));
  };
  addEventListener('error', threw);
  const timer = setTimeout(() => failed.reject(new Error(`it did not register within ${scriptMsMax / 1_000} s`)), scriptMsMax);
  script.src = url;
  document.head.append(script);
  try {
    return await Promise.race([done, failed.promise]);
  } finally {
    clearTimeout(timer);
    removeEventListener('error', threw);
    script.remove();
  }
}
