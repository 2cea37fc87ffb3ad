/** The page's end of `/ws/terminais/<id>`: comes back after a cut, and then gets the whole screen again. Source: schema/wire/terminals.ts */
import type { TerminalBody, TerminalColours, TerminalEnd, TerminalNews } from '../../schema/wire/terminals.ts';
import { reconnectWaitMs } from '../events/client.ts';
import { endWithLine, openSocket } from '../events/socket.ts';
import { tryLater } from '../events/try-later.ts';

export interface LinkHandlers {
  /** The screen in this size; what is shown is old. */
  screen(size: TerminalBody, bytes: Uint8Array): void;
  print(bytes: Uint8Array): void;
  title(title: string): void;
  /** The portal had to give its screen up. */
  lost(): void;
  /** The shell ended; nothing comes after it. */
  end(how: TerminalEnd): void;
  /** Whether what is typed arrives now. */
  connected(isConnected: boolean): void;
  /** After a cut: whether the terminal is still there. When it is not, nothing comes any more. Rejects when that can't be said now. */
  isThere(): Promise<boolean>;
  /** The portal does not know it any more. */
  gone(): void;
}

export interface Link {
  type(bytes: Uint8Array<ArrayBuffer>): void;
  /** With the colours that are drawn, which programs ask for. */
  resize(size: TerminalBody, colours: TerminalColours): void;
  stop(): void;
}

/** Bytes of one frame; pasted text may be longer and is split. Source: docs/limits.md, terminalFrameBytesMax. */
const frameBytesMax = 32 * 1_024;

const openMsMax = 10_000;

/** Typed ahead, before the shell is there for the first time. */
const aheadBytesMax = 4 * 1_024;

export function startLink(url: string, handlers: LinkHandlers, random: () => number = Math.random): Link {
  let socket: WebSocket | null = null;
  let cancel = (): void => undefined;
  let attempt = 0;
  let isOver = false;
  /** The next bytes are a screen of this size. */
  let size: TerminalBody | null = null;
  /** Input typed before the shell was there; null once it was. Input typed during a later cut is lost, and the page shows the cut. */
  let ahead: Uint8Array<ArrayBuffer>[] | null = [];

  const send = (bytes: Uint8Array<ArrayBuffer>): void => {
    for (let at = 0; isOpen() && at < bytes.length; at += frameBytesMax) socket?.send(bytes.subarray(at, at + frameBytesMax));
  };
  const hear = (news: TerminalNews): void => {
    if ('tela' in news) {
      attempt = 0;
      size = news.tela;
      handlers.connected(true);
      for (const bytes of ahead ?? []) send(bytes);
      ahead = null;
    } else if ('titulo' in news) handlers.title(news.titulo);
    else if ('perdida' in news) handlers.lost();
    else end(() => handlers.end(news.fim));
  };
  const end = (tell: () => void): void => {
    isOver = true;
    tell();
  };
  const again = async (): Promise<void> => {
    // A handshake that is refused says nothing to a page.
    const isThere = await handlers.isThere().catch(() => true);
    if (isOver) return;
    if (isThere) connect();
    else end(() => handlers.gone());
  };
  const lost = (): void => {
    const old = socket;
    socket = null;
    old?.close();
    handlers.connected(false);
    if (!isOver) cancel = tryLater(reconnectWaitMs(attempt++, random()), () => void again());
  };
  function connect(): void {
    const opened = openSocket(url, {
      message: (data) => {
        if (!(data instanceof ArrayBuffer)) return hear(JSON.parse(String(data)) as TerminalNews);
        if (size === null) handlers.print(new Uint8Array(data));
        else handlers.screen(size, new Uint8Array(data));
        size = null;
      },
      ended: lost,
      isOurs: (one) => socket === one && !(one === null && isOver),
    });
    socket = opened;
    if (opened !== null) endWithLine(opened, openMsMax, () => socket === opened && lost());
  }
  const isOpen = (): boolean => socket?.readyState === WebSocket.OPEN;

  connect();
  return {
    type: (bytes) => {
      if (ahead === null) send(bytes);
      else if (ahead.reduce((sum, each) => sum + each.length, bytes.length) <= aheadBytesMax) ahead.push(bytes);
    },
    resize: (tamanho, cores) => {
      if (isOpen()) socket?.send(JSON.stringify({ tamanho, cores }));
    },
    stop: () => {
      isOver = true;
      cancel();
      socket?.close();
      socket = null;
    },
  };
}
