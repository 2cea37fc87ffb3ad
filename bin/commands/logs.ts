/** `svc logs ana/notas [-f]`: the run.log of a backend as text. */
import { createClient } from '../client.ts';
import { backendOf } from '../keys.ts';
import { safeForTerminal, write } from '../output.ts';

interface LogsOptions {
  readonly state: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly tail: number;
}

export async function runLogs(text: string, { state, follow, previous, tail }: LogsOptions): Promise<void> {
  const { person, app } = backendOf(text);
  const query = { tail, follow: follow === true ? 1 : undefined, previous: previous === true ? 1 : undefined };
  const route = `/api/admin/backends/${encodeURIComponent(person)}/${encodeURIComponent(app)}/log`;
  const end = new AbortController();
  process.once('SIGINT', () => end.abort());
  for await (const chunk of createClient(state).text(route, query, end.signal))
    write(process.stdout.isTTY ? safeForTerminal(chunk) : chunk);
}
