/** `svc logs ana/notas [-f | --errors]`: the run.log of a backend as text, or the errors that the app reported of itself. */
import type { ErrorGroup, ErrorsAnswer } from '../../schema/wire/metrics.ts';
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
  const query = { tail, follow: follow === true ? 1 : undefined, previous: previous === true ? 1 : undefined };
  const backend = `/api/admin/backends/${encodeURIComponent(person)}/${encodeURIComponent(app)}`;
  if (errors === true) return write(errorText((await createClient(state).get<ErrorsAnswer>(`${backend}/errors`)).erros));
  const end = new AbortController();
  process.once('SIGINT', () => end.abort());
  for await (const chunk of createClient(state).text(`${backend}/log`, query, end.signal)) write(chunk);
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
