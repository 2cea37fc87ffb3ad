/** What the browser itself did not answer in time; it may the next time. */
export class BrowserLate extends Error {
  constructor(what: string, msMax: number) {
    super(`${what}: no answer of the browser within ${msMax} ms`);
  }
}

/**
 * Answers of the browser itself, which may never come (a database on a disk that hangs, a lock that another tab holds). Rejects after `msMax`; what comes
 * later is dropped. Decision: docs/decisions/0341-what-a-browser-may-refuse.md
 */
export async function inTime<T>(asked: Promise<T>, msMax: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BrowserLate(what, msMax)), msMax);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
