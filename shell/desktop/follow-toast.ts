/**
 * Shows a toast over the windows for ten seconds when something happens elsewhere (a notice, the removal of an app whose window closes by
 * it), but not while the bell is open; a notice stays in the bell. A toast with progress stays until its act is over. Only one is shown at
 * a time.
 */
import '../../sdk/web/ui/toast.ts';
import { text } from '../i18n/i18n.ts';
import type { Desk } from './desk.ts';

/** Shows in `region` what the desk says, until the returned function is called. */
export function followToast({ toast }: Pick<Desk, 'toast'>, region: SvcUiToast): () => void {
  let end: () => void = () => {};
  const put = (): void => {
    const now = toast.get();
    if (now === null) return end();
    const { words, open, action = text('toast.open'), progress } = now;
    const button = open === null ? {} : { action, run: open };
    end = region.show(words, { id: 'desk', kind: progress === undefined ? 'info' : 'busy', detail: progress ?? '', ...button });
  };
  // Put away by the person, or shown for long enough.
  const ended = (): void => toast.set(null);
  region.addEventListener('dismiss', ended);
  const stop = toast.subscribe(put);
  put();
  return () => {
    stop();
    region.removeEventListener('dismiss', ended);
  };
}
