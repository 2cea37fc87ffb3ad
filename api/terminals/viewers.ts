/** The pages that show one terminal, and whether the slowest that still reads has to be waited for. */
import type { Clock } from '../../schema/clock.ts';
import type { TerminalNews } from '../../schema/wire/terminals.ts';
import { limits } from './limits.ts';

/** How a page is reached; `text` and `bytes` never throw. */
export interface PageLine {
  text(news: TerminalNews): void;
  /** Calls back once they were handed to the network. */
  bytes(bytes: Uint8Array | string, sent: () => void): void;
  /** It reads nothing: let go. */
  stalled(): void;
  /** Whether more of what is typed is taken now. */
  flow(isOpen: boolean): void;
}

export interface Viewers {
  count(): number;
  /** Nothing more is to be printed until `onFlow`. */
  isHeldUp(): boolean;
  /** `first` goes to this one only, before what is printed from now on; `shown` is called after it. The answer takes the page away again. */
  add(page: PageLine, first: Promise<string>, shown: () => void): () => void;
  print(bytes: Uint8Array): void;
  tell(news: TerminalNews): void;
  flow(isOpen: boolean): void;
}

interface Viewer {
  readonly page: PageLine;
  unreadBytes: number;
  /** Until the first bytes are there; null: they are. */
  later: Uint8Array[] | null;
  /** Set while it is waited for. */
  cancelStall: (() => void) | null;
}

export function createViewers(clock: Clock, onFlow: () => void): Viewers {
  const viewers = new Set<Viewer>();
  const stallOf = ({ page }: Viewer): (() => void) => clock.at(clock.monotonicMs() + limits.terminalPageStalledMsMax, () => page.stalled());
  const sent = (viewer: Viewer, count: number): void => {
    viewer.unreadBytes -= count;
    if (viewer.cancelStall === null) return;
    viewer.cancelStall();
    // Each read moves the deadline; once half of the bytes are read the shell goes on.
    const waits = viewer.unreadBytes > limits.terminalPageBytesMax / 2 && viewers.has(viewer);
    viewer.cancelStall = waits ? stallOf(viewer) : null;
    onFlow();
  };
  const count = (viewer: Viewer, bytes: number): void => {
    viewer.unreadBytes += bytes;
    if (viewer.unreadBytes > limits.terminalPageBytesMax) viewer.cancelStall ??= stallOf(viewer);
  };
  const handOver = (viewer: Viewer, bytes: Uint8Array | string): void => viewer.page.bytes(bytes, () => sent(viewer, bytes.length));
  const begin = async (viewer: Viewer, first: Promise<string>, shown: () => void): Promise<void> => {
    const text = await first;
    if (!viewers.has(viewer)) return;
    count(viewer, text.length);
    handOver(viewer, text);
    for (const bytes of viewer.later ?? []) handOver(viewer, bytes);
    viewer.later = null;
    shown();
  };
  return {
    count: () => viewers.size,
    isHeldUp: () => [...viewers].some(({ cancelStall }) => cancelStall !== null),
    add: (page, first, shown) => {
      const viewer: Viewer = { page, unreadBytes: 0, later: [], cancelStall: null };
      viewers.add(viewer);
      void begin(viewer, first, shown);
      return () => {
        viewers.delete(viewer);
        viewer.cancelStall?.();
        viewer.cancelStall = null;
        onFlow();
      };
    },
    print: (bytes) => {
      for (const viewer of viewers) {
        count(viewer, bytes.length);
        if (viewer.later === null) handOver(viewer, bytes);
        else viewer.later.push(bytes);
      }
    },
    tell: (news) => {
      for (const { page } of viewers) page.text(news);
    },
    flow: (isOpen) => {
      for (const { page } of viewers) page.flow(isOpen);
    },
  };
}
