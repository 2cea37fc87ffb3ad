/** Names of rounds: one round is one look at one key, in its log lines and events. */
let rounds = 0;
const run = Date.now().toString(36);

export function nextRound(): string {
  rounds += 1;
  return `${run}-${rounds.toString(36)}`;
}
