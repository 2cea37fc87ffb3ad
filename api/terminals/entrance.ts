/** `/ws/terminais/<id>`: a page that shows a terminal. Frames: schema/wire/terminals.ts. */
import type { RawData, WebSocket } from 'ws';
import { lineShape } from '../../schema/compile-shape.ts';
import { SvcError } from '../../schema/errors.ts';
import { terminalOrder, type TerminalOrder } from '../../schema/wire/terminals.ts';
import type { Session } from '../auth/sessions.ts';
import { pathOf } from '../http/navigation.ts';
import { closeCodes, type PageSocketKind, turnAway } from '../portal/page-sockets.ts';
import { limits } from './limits.ts';
import type { Terminals } from './terminals.ts';
import type { PageLine } from './viewers.ts';

export const terminalsPath = '/ws/terminais/';

const orderFault = lineShape(terminalOrder);

export function terminalSockets(terminals: Terminals): PageSocketKind {
  return {
    frameBytesMax: limits.terminalFrameBytesMax,
    refuse: ({ person }, url) => {
      const found = terminals.list(person).find(({ id }) => id === idOf(url));
      if (found === undefined) return [404, 'Not Found'];
      return found.paginas >= limits.terminalPagesMax || !terminals.mayAttach(person) ? [429, 'Too Many Requests'] : null;
    },
    attach: (socket, session, url) => attach(terminals, socket, session, idOf(url)),
  };
}

const idOf = (url: string): string => pathOf(url).slice(terminalsPath.length);

function attach(terminals: Terminals, socket: WebSocket, { person }: Session, id: string): void {
  const line: PageLine = {
    text: (news) => {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(news));
    },
    bytes: (bytes, sent) => {
      if (socket.readyState === socket.OPEN) socket.send(bytes, { binary: true }, sent);
      else sent();
    },
    // A close frame would wait behind what is not read.
    stalled: () => socket.terminate(),
    flow: (isOpen) => {
      if (isOpen) socket.resume();
      else socket.pause();
    },
  };
  const shown = terminals.attach(person, id, line);
  // It ended between the handshake and now.
  if (shown === null) return socket.close(closeCodes.unexpected, 'no such terminal');
  socket.on('message', (data: RawData, isBinary) => {
    const bytes = data as Buffer;
    if (isBinary) return shown.terminal.type(bytes);
    const order = orderOf(bytes);
    if (order instanceof SvcError) return turnAway(socket, order.message.slice(0, 100));
    const { colunas, linhas } = order.tamanho;
    if (order.cores !== undefined) shown.terminal.show(order.cores);
    shown.terminal.resize({ columns: colunas, rows: linhas });
  });
  socket.on('close', shown.leave);
}

function orderOf(bytes: Buffer): TerminalOrder | SvcError {
  try {
    const order: unknown = JSON.parse(bytes.toString('utf8'));
    const fault = orderFault(order);
    return fault === null ? (order as TerminalOrder) : new SvcError('BAD_REQUEST', fault);
  } catch {
    return new SvcError('BAD_REQUEST', 'a text frame has to be JSON');
  }
}
