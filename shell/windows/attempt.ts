/** Runs an act of the person and shows its failure over the windows. */
import { text } from '../i18n/i18n.ts';
import { sayError } from '../session/say-error.ts';
import type { Shell } from './shell.ts';

export function attempt({ toast }: Pick<Shell, 'toast'>, run: () => Promise<unknown>): void {
  run().catch((error: unknown) => toast.set({ words: text('tasks.error', { erro: sayError(error) }), open: null }));
}
