/** A row of the table of verbs (verbs.ts). */
import type { Check } from './check.ts';
import { limits } from './limits.ts';

export type Checks = Readonly<Record<string, Check>>;

/**
 * Executor of the verb: `shell` answers over the port; `page` is done by the SDK in the page itself; `inner` is a request that the SDK makes of the
 * shell, which no app calls by its name.
 */
type By = 'shell' | 'page' | 'inner';

/**
 * Outside the shell (rules 7): `rejects` with `fora do ambiente <verb>`, answers `null`, does what `sdk/web/outside.ts` says, or, done in the page
 * alone, the `same` as inside.
 */
type Outside = 'rejects' | 'null' | 'own' | 'same';

/** `Args` and `Answer` are known to the compiler only. */
export interface Verb<Args = never, Answer = unknown, Who extends By = By, Out extends Outside = Outside> {
  readonly by: Who;
  /** In the order in which the page gives them; then, in one object, those of `options`. */
  readonly args: Checks;
  readonly options: Checks;
  /** How svc.d.ts writes the parameters, where the page gives something else than the arguments. */
  readonly takes?: string;
  /** How svc.d.ts writes the answer. */
  readonly gives: string;
  /** How long the shell works on it before it answers `sem-resposta`; null: as long as a person takes, or until the page is gone. */
  readonly deadlineMs: number | null;
  readonly outside: Out;
  readonly types?: (args: Args) => Answer;
}

interface Settings {
  readonly args?: Checks;
  readonly options?: Checks;
  readonly takes?: string;
  readonly deadlineMs?: number | null;
}

const row = (settings: Settings) => ({ args: {}, options: {}, deadlineMs: limits.verbAnswerMs, ...settings });

/** The shell answers; outside of it the verb rejects. */
export const asked = <Args, Answer>(gives: string, settings: Settings = {}): Verb<Args, Answer, 'shell', 'rejects'> => ({
  ...row(settings),
  by: 'shell',
  gives,
  outside: 'rejects',
});

/** The shell answers; outside of it the answer is null. */
export const askedOrNull = <Args, Answer>(gives: string, settings: Settings = {}): Verb<Args, Answer, 'shell', 'null'> => ({
  ...row(settings),
  by: 'shell',
  gives,
  outside: 'null',
});

/** The shell answers; outside of it `sdk/web/outside.ts` does. */
export const askedOrOwn = <Args, Answer>(gives: string, settings: Settings = {}): Verb<Args, Answer, 'shell', 'own'> => ({
  ...row(settings),
  by: 'shell',
  gives,
  outside: 'own',
});

/** A request of the SDK to the shell. */
export const inner = <Args, Answer>(settings: Settings = {}): Verb<Args, Answer, 'inner', 'rejects'> => ({
  ...row(settings),
  by: 'inner',
  gives: '',
  outside: 'rejects',
});

/** The SDK does it in the page. `takes` and `gives` as in svc.d.ts. */
export const inPage = <Out extends Outside>(takes: string, gives: string, outside: Out): Verb<never, unknown, 'page', Out> => ({
  ...row({ takes }),
  by: 'page',
  gives,
  outside,
});
