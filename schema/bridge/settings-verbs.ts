/** The verbs of an app's section in Settings. Source: rules 2.1 `settingsOptIn`, 4.3. */
import { flag } from './check.ts';
import { limits } from './limits.ts';
import { askedOrNull, askedOrOwn } from './verb.ts';

const deadlineMs = limits.portalVerbAnswerMs;

export const settingsVerbs = {
  /** Shows the section of this app in Settings, or hides it (`settingsOptIn`). Does nothing for an app without one. */
  'configuracoes.ligar': askedOrNull<{ readonly ligada: boolean }, null>('null', { args: { ligada: flag }, deadlineMs }),
  /** Whether Settings shows the section of this app. */
  'configuracoes.ligada': askedOrOwn<object, boolean>('boolean', { deadlineMs }),
  /** Opens Settings at the section of this app; rejects where it is not shown. */
  'configuracoes.abrir': askedOrNull<object, null>('null', { deadlineMs }),
};
