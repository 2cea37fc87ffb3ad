/** Answer of a page's `disponivel` when the portal could not be asked: it never rejects for that, as the runtimes of backends never do. */
import { ApiError, isPassing } from './api.ts';

interface Away {
  readonly disponivel: false;
  readonly motivo: string;
  readonly codigo: string;
}

/** Throws what is no answer and no failure of the portal: the page was closed meanwhile. */
export function awayOf(error: unknown): Away {
  if (isPassing(error)) return { disponivel: false, motivo: 'o portal não responde', codigo: 'SEM_REDE' };
  if (!(error instanceof ApiError)) throw error;
  return { disponivel: false, motivo: error.message, codigo: error.code };
}
