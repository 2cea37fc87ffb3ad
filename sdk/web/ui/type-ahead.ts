/** Typing letters moves to the next entry that begins with them; the same letter again goes on to the one after. */

const pauseMs = 700;

/** Folds case and accents: `relogio` finds `Relógio`. */
export const folded = (value: string): string => value.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();

/** Answers the index to go to, or null. Keeps what was typed until a pause. */
export function typeAhead(
  now: () => number = () => performance.now(),
): (key: string, labels: readonly string[], at: number) => number | null {
  let typed = '';
  let lastMs = Number.NEGATIVE_INFINITY;
  return (key, labels, at) => {
    typed = now() - lastMs > pauseMs ? key : typed + key;
    lastMs = now();
    const again = typed.length > 1 && typed === (typed[0] ?? '').repeat(typed.length);
    const wanted = folded(again ? (typed[0] ?? '') : typed);
    const from = typed.length === 1 || again ? at + 1 : Math.max(at, 0);
    const order = labels.map((_, step) => (from + step) % labels.length);
    return order.find((index) => folded(labels[index] ?? '').startsWith(wanted)) ?? null;
  };
}
