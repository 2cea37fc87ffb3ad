/**
 * The way to the portal as a whole. A network that drops all it gets in silence leaves every connection open: what has no deadline of its own, as a
 * stream that is followed, a terminal, a large file, ends when the desktop's own connection was found dead.
 * Decision: docs/decisions/0341-what-a-browser-may-refuse.md
 */
let line = new AbortController();
let lostAtMs = Number.NEGATIVE_INFINITY;
/** Connections that a browser keeps for later are dead, too, and it finds that out only by using them. */
const doubtMs = 60_000;

/** Fires when nothing comes over connections that were opened until then. */
export const lineSignal = (): AbortSignal => line.signal;

export function lineLost(): void {
  const old = line;
  lostAtMs = performance.now();
  line = new AbortController();
  old.abort(new DOMException('the portal says nothing any more', 'NetworkError'));
}

/** Whether a request may have got one of the dead connections. */
export const isLineDoubted = (): boolean => performance.now() - lostAtMs < doubtMs;
