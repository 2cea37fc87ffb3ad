/** The toast while an app waits for another one that starts: its steps, until it is ready, the call is over, or the person dismisses it. */
import { startSteps } from '../../schema/backend.ts';
import { stepText } from '../../schema/texts/reasons.ts';
import type { AppProjection } from '../../schema/wire/http.ts';
import { language, text } from '../i18n/i18n.ts';
import type { Desk } from './desk.ts';
import type { Toast } from '../windows/shell.ts';

function stepWords(step: AppProjection['step']): string | null {
  if (step === null) return null;
  const values = { n: startSteps.indexOf(step.name) + 1, total: startSteps.length, etapa: stepText(step.name, language.get()) };
  return text('apps.step', values);
}

export function followStart(
  { apps, toast, announcement }: Pick<Desk, 'apps' | 'toast' | 'announcement'>,
  id: string,
  words: string,
  over: AbortSignal,
): void {
  let mine: Toast | null = null;
  const ended = new AbortController();
  const look = (): void => {
    const app = apps.find(id);
    const wasPutAway = mine !== null && toast.get() !== mine;
    if (wasPutAway || over.aborted || app === undefined || app.ready) {
      if (mine !== null && !wasPutAway) toast.set(null);
      return ended.abort();
    }
    const progress = stepWords(app.step);
    if (mine !== null && mine.progress === progress) return;
    announcement.set(mine === null ? words : (progress ?? words));
    mine = { words, open: null, progress };
    toast.set(mine);
  };
  const stop = apps.state.subscribe(look);
  ended.signal.addEventListener('abort', stop, { once: true });
  over.addEventListener('abort', look, { signal: ended.signal });
  look();
}
