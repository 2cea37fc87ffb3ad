/** A shell with its screen and the pages that show it. It lives on without pages; its output waits for the slowest page that reads. */
import type { Clock } from '../../schema/clock.ts';
import type { RemoteShell, ShellEnd, TerminalSize } from '../../schema/terminals.ts';
import type { TerminalColours, TerminalEnd } from '../../schema/wire/terminals.ts';
import { boundSequences } from './bounded-sequences.ts';
import { limits } from './limits.ts';
import type { Screen } from './screens.ts';
import { createViewers, type PageLine } from './viewers.ts';

export interface Terminal {
  /** Null while the shell runs. */
  end(): { readonly how: TerminalEnd; readonly atMs: number } | null;
  title(): string;
  setTitle(title: string): void;
  pages(): number;
  /** Since when nothing shows it, in monotonic ms; null while a page does. */
  awaySinceMs(): number | null;
  /** Sends the screen, and from then on what comes. The answer takes the page away again. */
  attach(page: PageLine): () => void;
  type(bytes: Uint8Array): void;
  /** An answer to a program; left out while it reads none. */
  reply(text: string): void;
  resize(size: TerminalSize): void;
  /** The colours of the page that said them last: programs are answered with them. */
  show(colours: TerminalColours): void;
  hangUp(): void;
  /** The screen had to be given up. */
  lost(): void;
  /** Nothing of it is kept: after its end, or with it. */
  forget(): void;
}

export interface TerminalParts {
  readonly shell: RemoteShell;
  readonly screen: Screen;
  readonly clock: Clock;
  /** Called after the pages got the end. */
  readonly onEnd: () => void;
}

export function createTerminal({ shell, screen, clock, onEnd }: TerminalParts): Terminal {
  const viewers = createViewers(clock, () => carried.flow());
  const carried = carry(shell, screen, viewers);
  let title = '';
  let end: ReturnType<Terminal['end']> = null;
  let awaySinceMs: number | null = clock.monotonicMs();
  const finish = ({ code, signal }: ShellEnd): void => {
    end = { how: { codigo: code, sinal: signal }, atMs: clock.monotonicMs() };
    viewers.tell({ fim: end.how });
    onEnd();
  };
  // The output so far is drawn before the end is announced.
  void shell.ended.then((how) => carried.drawn(() => finish(how)));
  const resize = atMostEvery(clock, limits.terminalResizeMs, (size: TerminalSize) => {
    if (end !== null) return;
    screen.resize(size);
    shell.resize(size);
  });
  return {
    end: () => end,
    title: () => title,
    setTitle: (now) => {
      if (now === title) return;
      title = now;
      viewers.tell({ titulo: now });
    },
    pages: () => viewers.count(),
    awaySinceMs: () => awaySinceMs,
    attach: (page) => {
      const { columns, rows } = screen.size();
      awaySinceMs = null;
      page.text({ tela: { colunas: columns, linhas: rows } });
      const leave = viewers.add(page, screen.text(), () => {
        if (title !== '') page.text({ titulo: title });
        if (end !== null) page.text({ fim: end.how });
      });
      return () => {
        leave();
        if (viewers.count() === 0) awaySinceMs = clock.monotonicMs();
      };
    },
    type: (bytes) => {
      if (end !== null || !shell.input.writable) return;
      shell.input.write(bytes);
      if (shell.input.writableLength > limits.terminalTypedBytesMax) viewers.flow(false);
    },
    reply: (text) => {
      if (end === null && shell.input.writable && shell.input.writableLength < limits.terminalReplyBytesMax) shell.input.write(text);
    },
    resize,
    show: (colours) => screen.show(colours),
    hangUp: () => shell.end(),
    lost: () => viewers.tell({ perdida: true }),
    forget: () => {
      shell.end();
      screen.close();
    },
  };
}

/** The first one at once; of those that come within the time after one the last. */
function atMostEvery<Value>(clock: Clock, ms: number, act: (value: Value) => void): (value: Value) => void {
  let next: { readonly value: Value } | null = null;
  let isWaiting = false;
  const wait = (): void => {
    isWaiting = true;
    clock.at(clock.monotonicMs() + ms, () => {
      isWaiting = false;
      const last = next;
      next = null;
      if (last === null) return;
      act(last.value);
      wait();
    });
  };
  return (value) => {
    if (isWaiting) {
      next = { value };
      return;
    }
    act(value);
    wait();
  };
}

/**
 * From the shell to the screen and to the pages, no more of it at once than the screen draws. `flow`, called when something went on, lets the
 * shell print or wait; `drawn` calls back once everything that it printed is on the screen.
 */
function carry({ output, input }: RemoteShell, screen: Screen, viewers: ReturnType<typeof createViewers>) {
  const pieces: Uint8Array[] = [];
  const onDrawn: (() => void)[] = [];
  let pendingBytes = 0;
  let drawing = 0;
  const flow = (): void => {
    if (pendingBytes > limits.terminalPendingBytesMax || viewers.isHeldUp()) output.pause();
    else output.resume();
  };
  const draw = (): void => {
    while (drawing < limits.terminalPiecesMax && pieces.length > 0) {
      const piece = pieces.shift()!;
      drawing += 1;
      // Before a page that comes now asks for the screen.
      viewers.print(piece);
      screen.write(piece, () => {
        drawing -= 1;
        pendingBytes -= piece.length;
        draw();
      });
    }
    if (drawing === 0) for (const drawn of onDrawn.splice(0)) drawn();
    flow();
  };
  const bounded = boundSequences(() => screen.size());
  output.on('data', (bytes: Buffer) => {
    for (const piece of bounded(bytes)) {
      pendingBytes += piece.length;
      pieces.push(piece);
    }
    draw();
  });
  for (const stream of [output, input]) stream.on('error', () => undefined);
  input.on('drain', () => viewers.flow(true));
  return {
    flow,
    drawn: (drawn: () => void): void => {
      onDrawn.push(drawn);
      draw();
    },
  };
}
