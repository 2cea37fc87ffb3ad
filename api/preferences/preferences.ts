/**
 * Choices of a person in the desktop, as one document that several pages change at the same time. Fields of a newer svc that this one does not know
 * are kept and not answered. Decision: docs/decisions/0202-preferences.md
 */
import type { Logger } from 'pino';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { lineShape } from '../../schema/compile-shape.ts';
import { limits } from '../../schema/limits.ts';
import { mergePatch } from '../../schema/wire/merge-patch.ts';
import { preferenceNames, preferences as shape, type Preferences, type PreferencesPatch } from '../../schema/wire/preferences.ts';
import type { Bus } from '../../store/bus.ts';
import type { Store } from '../../store/store.ts';
import { listsEtag } from '../../schema/wire/etag.ts';
import { createRate } from '../http/rate.ts';

export interface PreferencesNow {
  /** With its quotes. */
  readonly etag: string;
  readonly value: Preferences;
}

export interface PreferencesOf {
  read(person: string): Promise<PreferencesNow>;
  /** Rejects RATE_LIMITED, PREFERENCES_CHANGED when `ifMatch` does not name what is stored, BAD_REQUEST and TOO_LARGE for what would come of it. */
  change(person: string, patch: PreferencesPatch, ifMatch: string | undefined): Promise<PreferencesNow>;
}

export interface PreferencesDeps {
  readonly store: Pick<Store, 'preferences' | 'putPreferences' | 'putValue'>;
  readonly bus: Pick<Bus, 'publish'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly clock: Clock;
}

type Fields = Readonly<Record<string, unknown>>;

const fault = lineShape(shape);
const known: ReadonlySet<string> = new Set(preferenceNames);
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const etagOf = (version: number): string => `"${version}"`;

export function createPreferences({ store, bus, log, clock }: PreferencesDeps): PreferencesOf {
  const count = createRate(clock, { burst: limits.preferenceChangesBurst, refillMs: limits.preferenceChangeRefillMs });
  const load = async (person: string): Promise<{ readonly version: number; readonly all: Fields }> => {
    const stored = await store.preferences(person);
    if (stored === null) return { version: 0, all: {} };
    const all = parsed(stored.body);
    const why = all === null ? 'no JSON object' : fault(knownOf(all));
    if (all !== null && why === null) return { version: stored.version, all };
    await store.putValue(`preferencias-danificadas/${person}`, stored.body);
    log.warn({ person, why }, 'the stored preferences are damaged: they are put aside, and the person begins without any');
    await store.putPreferences(person, '{}', stored.version);
    return await load(person);
  };
  const change: PreferencesOf['change'] = async (person, patch, ifMatch) => {
    const { version, all } = await load(person);
    if (ifMatch !== undefined && !listsEtag(ifMatch, etagOf(version), 'weak')) throw changedMeanwhile();
    const next = mergePatch(all, patch) as Fields;
    const why = fault(knownOf(next));
    if (why !== null) throw new SvcError('BAD_REQUEST', `the preferences would not be valid: ${why}`);
    const body = JSON.stringify(next);
    if (Buffer.byteLength(body) > limits.preferencesBytesMax)
      throw new SvcError('TOO_LARGE', `the preferences of a person have at most ${limits.preferencesBytesMax} bytes`);
    if (!(await store.putPreferences(person, body, version))) {
      // Another change came between: this one is made on top of it, unless it was meant for what was read before.
      if (ifMatch !== undefined) throw changedMeanwhile();
      return await change(person, patch, undefined);
    }
    const etag = etagOf(version + 1);
    // Where windows are is the business of the page that they are in.
    if (Object.keys(patch).some((name) => name !== 'janelas')) bus.publish(person, { type: 'preferencias', etag });
    return { etag, value: knownOf(next) };
  };
  return {
    read: async (person) => {
      const { version, all } = await load(person);
      return { etag: etagOf(version), value: knownOf(all) };
    },
    change: async (person, patch, ifMatch) => {
      count(person);
      return await change(person, patch, ifMatch);
    },
  };
}

const changedMeanwhile = (): SvcError => new SvcError('PREFERENCES_CHANGED', 'another page changed the preferences: read them again');

function parsed(body: string): Fields | null {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const knownOf = (all: Fields): Preferences => Object.fromEntries(Object.entries(all).filter(([name]) => known.has(name)));
