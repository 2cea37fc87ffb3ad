import { expect, test } from 'vitest';
import type { ToPage, ToShell } from '../../schema/bridge/call.ts';
import { openCallPort, type CallPort } from './call-port.ts';

const chunkBytes = 262_144;

/** The page's end of a call: what it is told, in order. */
function page(bodyBytesMax: number): {
  readonly call: CallPort;
  send(message: ToShell): void;
  readonly told: readonly ToPage[];
  end(): void;
} {
  const { port1, port2 } = new MessageChannel();
  const told: ToPage[] = [];
  port1.addEventListener('message', ({ data }) => told.push(data as ToPage));
  port1.start();
  const call = openCallPort(port2, new AbortController().signal, bodyBytesMax);
  return { call, told, send: (message) => port1.postMessage(message), end: () => port1.close() };
}

test('a body of the largest size is taken whole', async () => {
  const { call, send, end } = page(2 * chunkBytes);
  for (let n = 0; n < 2; n += 1) send({ corpo: new ArrayBuffer(chunkBytes) });
  send({ fim: true });
  expect((await call.body()).size).toBe(2 * chunkBytes);
  expect(call.signal.aborted).toBe(false);
  end();
});

test('one byte more is TOO_LARGE: the call ends, and nothing is sent to a provider', async () => {
  const { call, told, send, end } = page(2 * chunkBytes);
  for (const bytes of [chunkBytes, chunkBytes, 1]) send({ corpo: new ArrayBuffer(bytes) });
  await expect(call.body()).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => told.at(-1)).toMatchObject({ erro: { code: 'TOO_LARGE', status: 413 } });
  expect(call.signal.aborted).toBe(true);
  end();
});

test.for<[string, unknown]>([
  ['a chunk that is larger than a chunk', { corpo: new ArrayBuffer(chunkBytes + 1) }],
  ['a chunk that is text', { corpo: 'muito' }],
  ['more credit than there can be', { mais: 1e9 }],
  ['a head, which is the shell’s to say', { cabeca: { status: 200, texto: '', cabecalhos: [], temCorpo: false } }],
  ['nothing', null],
])('%s ends the call as outside of the protocol', async ([, message]) => {
  const { call, told, send, end } = page(chunkBytes);
  send(message as ToShell);
  await expect.poll(() => told).toMatchObject([{ erro: { code: 'argumentos-invalidos' } }]);
  expect(call.signal.aborted).toBe(true);
  end();
});
