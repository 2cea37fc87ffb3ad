/** Acts of a panel: one at a time, and why one failed is shown. */
import { sayError } from '../session/say-error.ts';

interface Doing {
  busy: boolean;
  trouble: string | null;
}

export async function doOne(panel: Doing, act: () => Promise<void>): Promise<void> {
  if (panel.busy) return;
  panel.busy = true;
  panel.trouble = null;
  try {
    await act();
  } catch (error) {
    panel.trouble = sayError(error);
  }
  panel.busy = false;
}
