/** `svc logs ana/notas [-f | --errors]`: the run.log of a backend as text, or the errors that the app reported of itself. */
import type { ErrorGroup } from '../../schema/wire/metrics.ts';
import { createClient } from '../client.ts';
import { backendOf } from '../keys.ts';
import { endColors, plain, write } from '../output.ts';

interface LogsOptions {
  readonly state: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly errors?: boolean;
  readonly tail: number;
}

export async function runLogs(text: string, { state, follow, previous, errors, tail }: LogsOptions): Promise<void> {
  const { person, app } = backendOf(text);
  const params = { person, app };
  const client = createClient(state);
  if (errors === true) return write(errorText((await client.call('GET /api/admin/backends/:person/:app/errors', { params })).erros));
  const asked = (option: boolean | undefined): '1' | undefined => (option === true ? '1' : undefined);
  const query = { tail, follow: asked(follow), previous: asked(previous) };
  const end = new AbortController();
  process.once('SIGINT', () => end.abort());
  for await (const chunk of client.text('GET /api/admin/backends/:person/:app/log', { params, query }, end.signal)) write(chunk);
  endColors();
}

/** The latest first. Texts of an app stand in lines of their own. */
function errorText(groups: readonly ErrorGroup[]): string {
  const one = ({ tipo, mensagem, pilha, versao, de, n, primeiroEm, ultimoEm }: ErrorGroup): string => {
    const times = `${n} ${n === 1 ? 'time' : 'times'}, ${new Date(primeiroEm).toISOString()} to ${new Date(ultimoEm).toISOString()}`;
    const stack =
      pilha === ''
        ? ''
        : pilha
            .split('\n')
            .map((line) => `    ${plain(line)}\n`)
            .join('');
    return `${plain(tipo)}: ${plain(mensagem)}\n  ${times}, version ${plain(versao)}, in the ${de === 'pagina' ? 'page' : 'backend'}\n${stack}`;
  };
  return groups.length === 0 ? 'the app reported no error\n' : groups.map(one).join('\n');
}
