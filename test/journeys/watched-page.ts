/** Complaints of a page while a person uses it: exceptions, errors of the console, answers that failed. */
import type { Page } from 'playwright-core';

export interface Watched {
  /** Problems since the last call; none that belong to an absence of the portal or of the network. */
  takeProblems(): readonly string[];
  /** From now on the portal or the network is away: requests fail. */
  away(): void;
  /** It is back. Requests under way may still fail for a moment, until the page says that it is connected. */
  back(): void;
}

interface Expected {
  readonly why: string;
  readonly line: RegExp;
}

const expected: readonly Expected[] = [
  { why: 'Chromium tells an app that wants the focus before anybody pressed in it', line: /^console: Blocked autofocusing/ },
  {
    why: 'an app that knows no /close-tabs answers 404, one that ends 503: the last window tells it and expects nothing',
    line: /\/close-tabs\b/,
  },
  { why: 'another page was faster; the change is made anew (decision 0202)', line: /412.*\/api\/preferencias/ },
  {
    why: 'a portal that was started again knows no upload; the page begins it again where it was',
    line: /\b404\b.*\/api\/arquivos\/envios\//,
  },
  { why: 'a proxy takes less than the portal: the piece comes again, and is smaller', line: /\b413\b.*\/api\/arquivos\/envios\// },
  { why: 'shells end with the portal; the page asks for one of before, and says what became of it', line: /\/ws\/terminais\/.*\b404\b/ },
  {
    why: 'Chromium says it of a page whose network the test took away, and of a page that is a process of its own until long after it is back',
    line: /net::ERR_INTERNET_DISCONNECTED/,
  },
  { why: 'a question of one app to another is refused until the person was asked', line: /\b403\b.*\/api\/capacidades\// },
];

/** While the portal or the network is away. */
const lost = /net::ERR_|Failed to (fetch|load resource)|NetworkError|WebSocket connection|ERR_INTERNET|\b50[0234]\b|EventSource/;

const lateMs = 3_000;
/** Nobody listens: while the portal is there that can only be a late report, by a process of a page that had no time for it. */
const nobodyListens = /net::ERR_CONNECTION_REFUSED/;
const refusedLateMs = 60_000;

export function watchPage(page: Page): Watched {
  let problems: string[] = [];
  let isAway = false;
  let backAtMs = -Infinity;
  const add = (line: string): void => {
    if (expected.some((each) => each.line.test(line))) return;
    const backMs = isAway ? 0 : performance.now() - backAtMs;
    if (backMs < lateMs && lost.test(line)) return;
    if (backMs < refusedLateMs && nobodyListens.test(line)) return;
    problems.push(line);
  };
  page.on('pageerror', (error) => add(`exception: ${String(error)}`));
  page.on('console', (message) => {
    if (message.type() === 'error') add(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) add(`answer: ${response.status()} to ${response.request().method()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // The page gave it up by itself: it was closed, loaded again, or no longer wants the answer.
    if (why !== 'net::ERR_ABORTED') add(`request: ${why} of ${request.method()} ${request.url()}`);
  });
  return {
    takeProblems: () => {
      const taken = problems;
      problems = [];
      return taken;
    },
    away: () => void (isAway = true),
    // The processes of pages report the absence a moment later.
    back: () => {
      isAway = false;
      backAtMs = performance.now();
    },
  };
}
