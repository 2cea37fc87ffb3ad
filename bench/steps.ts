/** Where a run is: one line on stderr for each step, with the time since the process began. */

/** `42 s`, `3 min 5 s` */
export function spanOf(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function sayStep(text: string): void {
  console.error(`bench: ${spanOf(performance.now())}: ${text}`);
}
