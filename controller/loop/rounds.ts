/** Names of passes: each is the work on one key at a time, in its log lines and events. */
let rounds = 0;
const run = Date.now().toString(36);

export function nextRound(): string {
  rounds += 1;
  return `${run}-${rounds.toString(36)}`;
}
