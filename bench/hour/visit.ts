/** A visit: a person comes, does what people do on a desktop, checks that it was done, and goes. Only a finished job stays now and then. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { Browser } from '../../api/testing/portal-world.ts';
import { query } from '../../test/files/support/files-world.ts';
import { until, type RunningPortal } from '../../test/support/portal.ts';
import { connect, said } from '../../test/support/room-client.ts';
import { signIn } from '../person.ts';

/** Text of 64 KiB. */
const text = 'do que se escreve, nada fica. \n'.repeat(2_115);

async function answered(what: string, asked: ReturnType<Browser['call']>, ...statuses: readonly number[]): Promise<{ json(): unknown }> {
  const answer = await asked;
  if (!statuses.includes(answer.status)) throw new Error(`${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
  return answer;
}

/** Ended by this side; waits until the other has, too. */
async function closed(socket: WebSocket): Promise<void> {
  if (socket.readyState === socket.CLOSED) return;
  const end = once(socket, 'close');
  socket.close();
  await end;
}

async function app(browser: Browser, port: number): Promise<void> {
  const { ready } = (await answered('start', browser.call('POST', '/api/apps/notas/start'), 200)).json() as { readonly ready: boolean };
  if (!ready) throw new Error('notas was not ready');
  const page = await browser.visit(`http://notas.svc.localhost:${port}/`);
  if (page.status !== 200) throw new Error(`the page of notas: ${page.status}`);
  await answered('stop', browser.call('POST', '/api/apps/notas/stop'), 200);
}

/** A room of their own, written into by one window and read in another, and gone afterwards. */
async function room(browser: Browser, port: number): Promise<void> {
  const made = await answered('a room', browser.call('POST', '/api/salas?app=caderno', { nome: 'Visita', app: 'caderno' }), 201);
  const { id } = made.json() as { readonly id: string };
  const open = async () => {
    const ticket = await answered('a ticket', browser.call('POST', `/api/salas/${id}/bilhete?app=caderno`), 200);
    const { bilhete, caminho } = ticket.json() as { readonly bilhete: string; readonly caminho: string };
    const client = connect(`ws://127.0.0.1:${port}${caminho}/documento`, bilhete, { host: `svc.localhost:${port}` });
    await client.synced;
    return client;
  };
  const [writer, reader] = [await open(), await open()];
  writer.presence.setLocalState({ nome: 'visita' });
  for (let n = 0; n < 20; n += 1) writer.doc.getText('t').insert(0, `linha ${n}\n`);
  await until('what was typed arrives', () => said(reader) === said(writer), 20_000, 10);
  await closed(reader.ws);
  await closed(writer.ws);
  await answered('the room goes', browser.call('DELETE', `/api/salas/${id}?app=caderno`), 204);
}

async function file(browser: Browser, origin: string, home: string): Promise<void> {
  const path = `/api/arquivos/conteudo?${query(`${home}/visita.txt`)}`;
  const headers = { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/octet-stream' };
  await answered('an upload', browser.request(path, { method: 'PUT', headers, body: text }), 200, 201, 204);
  const back = await browser.request(path, { headers: { origin, 'sec-fetch-site': 'same-origin' } });
  if (back.text !== text) throw new Error(`other bytes came back: ${back.status}, ${back.text.length} of ${text.length}`);
  const removal = { tipo: 'apagar', itens: [`${home}/visita.txt`] };
  const { id } = (await answered('a removal', browser.call('POST', '/api/arquivos/operacoes', removal), 202)).json() as {
    readonly id: string;
  };
  const estado = await until('the removal ends', async () => {
    const seen = await answered('the removal', browser.call('GET', `/api/arquivos/operacoes/${id}?espera=30`), 200);
    const { estado: now } = seen.json() as { readonly estado: string };
    return now === 'correndo' ? null : now;
  });
  if (estado !== 'feita') throw new Error(`the removal: ${estado}`);
  await answered('the file is gone', browser.call('GET', `/api/arquivos/estado?${query(`${home}/visita.txt`)}`), 404);
}

/** Waits where the portal asks for it: on a quick machine visits come faster than people. */
async function patient(ask: () => ReturnType<Browser['call']>): ReturnType<Browser['call']> {
  for (let tries = 0; ; tries += 1) {
    const answer = await ask();
    if (answer.status !== 429 || tries === 30) return answer;
    await sleep((answer.json() as { readonly retryAfterMs: number }).retryAfterMs);
  }
}

async function shell(browser: Browser): Promise<void> {
  const made = await answered(
    'a terminal',
    patient(() => browser.call('POST', '/api/terminais', { colunas: 80, linhas: 24 })),
    201,
  );
  const { id } = made.json() as { readonly id: string };
  const socket = browser.socket(`/ws/terminais/${id}`);
  let printed = '';
  socket.on('message', (data: Buffer, isBinary: boolean) => void (isBinary && (printed += data.toString())));
  await once(socket, 'open');
  socket.send(Buffer.from('echo soma=$((40+2))\n'));
  await until('the shell answers', () => printed.includes('soma=42'), 20_000, 25);
  await closed(socket);
  await answered('it is hung up', browser.call('DELETE', `/api/terminais/${id}`), 204);
}

let jobs = 0;
async function job(browser: Browser): Promise<void> {
  jobs += 1;
  const body = { chave: `visita-${jobs}`, comando: ['bash', '-c', 'echo feito'], limites: { segundos: 60 } };
  const { id } = (await answered('a job', browser.call('POST', '/api/fila/trabalhos?app=notas', body), 201)).json() as {
    readonly id: string;
  };
  const ended = await until(
    'the job ends',
    async () => {
      const seen = await answered('it', browser.call('GET', `/api/fila/trabalhos/${id}?app=notas`), 200);
      const { terminadoEm, estado } = seen.json() as { readonly terminadoEm: number | null; readonly estado: string };
      return terminadoEm === null ? null : estado;
    },
    120_000,
  );
  if (ended !== 'terminado') throw new Error(`the job ended as ${ended}`);
}

export interface Visit {
  readonly person: string;
  readonly withJob: boolean;
}

export async function visit(portal: RunningPortal, { person, withJob }: Visit): Promise<void> {
  const browser = await signIn(portal, person, { admin: true });
  const origin = `http://svc.localhost:${portal.port}`;
  const events = browser.socket('/ws/events');
  await once(events, 'message');
  await answered('apps', browser.call('GET', '/api/apps'), 200);
  const { casa } = (await answered('files', browser.call('GET', '/api/arquivos'), 200)).json() as { readonly casa: string };
  await app(browser, portal.port);
  await room(browser, portal.port);
  await file(browser, origin, casa);
  await shell(browser);
  if (withJob) await job(browser);
  await closed(events);
  await answered('they go', browser.call('DELETE', '/api/sessao'), 204);
}
