/** One shell with its screen and the pages that show it. It lives on without pages; what is printed waits for the slowest page that reads. */
import type { Clock } from '../../schema/clock.ts';
import type { RemoteShell, ShellEnd, TerminalSize } from '../../schema/terminals.ts';
import type { TerminalColours, TerminalEnd } from '../../schema/wire/terminals.ts';
import { limits } from './limits.ts';
import type { Screen } from './screen.ts';
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
  resize(size: TerminalSize): void;
  /** The colours of the page that said them last: programs are answered with them. */
  show(colours: TerminalColours): void;
  hangUp(): void;
}

export interface TerminalParts {
  readonly shell: RemoteShell;
  readonly screen: Screen;
  readonly clock: Clock;
  /** After the pages heard of its end. */
  readonly onEnd: () => void;
}

export function createTerminal({ shell, screen, clock, onEnd }: TerminalParts): Terminal {
  const viewers = createViewers(clock, () => flow());
  const flow = carry(shell, screen, viewers);
  let title = '';
  let end: ReturnType<Terminal['end']> = null;
  let awaySinceMs: number | null = clock.monotonicMs();
  const finish = ({ code, signal }: ShellEnd): void => {
    end = { how: { codigo: code, sinal: signal }, atMs: clock.monotonicMs() };
    viewers.tell({ fim: end.how });
    onEnd();
  };
  void untilEnded(shell, screen, finish);
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
      const leave = viewers.add(page, screen.text());
      if (title !== '') page.text({ titulo: title });
      if (end !== null) page.text({ fim: end.how });
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
    resize: (size) => {
      if (end !== null) return;
      screen.resize(size);
      shell.resize(size);
    },
    show: (colours) => screen.show(colours),
    hangUp: () => shell.end(),
  };
}

/** From the shell to the screen, and from there to the pages. The answer, called when something went on, lets the shell print or wait. */
function carry({ output, input }: RemoteShell, screen: Screen, viewers: ReturnType<typeof createViewers>): () => void {
  let pendingBytes = 0;
  const flow = (): void => {
    if (pendingBytes > limits.terminalPendingBytesMax || viewers.isHeldUp()) output.pause();
    else output.resume();
  };
  output.on('data', (bytes: Buffer) => {
    pendingBytes += bytes.length;
    screen.write(bytes, () => {
      pendingBytes -= bytes.length;
      viewers.print(bytes);
      flow();
    });
    flow();
  });
  for (const stream of [output, input]) stream.on('error', () => undefined);
  input.on('drain', () => viewers.flow(true));
  return flow;
}

async function untilEnded({ ended }: RemoteShell, screen: Screen, finish: (how: ShellEnd) => void): Promise<void> {
  const how = await ended;
  // What was printed last is drawn first.
  screen.write(new Uint8Array(), () => finish(how));
}
