/**
 * Acts of people and faults of the world, each drawn from a number of its own: an act that is left out changes nothing of the others, so that a
 * history which fails can be made shorter.
 */
import { createRandom, type Random } from '../random.ts';
import { appActs } from './app-acts.ts';
import { roomActs } from './room-acts.ts';
import { count, later, type Site } from './site.ts';

export type Do = (site: Site, random: Random) => void;

const acts: Readonly<Record<string, readonly [weight: number, act: Do]>> = {
  ...appActs,
  ...roomActs,
  // Nobody thought of all pairs of things that come at almost the same moment.
  'two at once': [
    25,
    (site, random) => {
      const names = Object.keys(site.actsOf);
      const [first, second] = [random.pick(names), random.pick(names)];
      const apartMs = Math.round(10 ** (random.next() * 3.5));
      for (const [ms, name] of [
        [0, first],
        [apartMs, second],
      ] as const)
        if (name !== 'two at once') later(site, ms, () => carryOut(site, [0, name, random.int(1, 2 ** 31 - 1)]));
    },
  ],
};

/** Acts of people who only use what is there. */
const everyday = new Set([
  'window opened',
  'window for a moment',
  'start',
  'stop',
  'restart',
  'start and stop',
  'stop and start',
  'page opened',
  'page closed',
  'words at once',
  'role given',
]);

/** `[atMs, name, dice]` */
export type Act = readonly [atMs: number, name: string, dice: number];

/**
 * Kinds of acts of a history, by its seed, with how often each comes: some have all faults, some a few, some none, and then bounds of time hold.
 * A violation that hides among all faults shows among few. Half of them have a few kinds that come as often as all others together: what needs one rare
 * thing many times, or two of them near each other, shows there.
 */
export function kindsOf(seed: number): Readonly<Record<string, number>> {
  const random = createRandom(seed ^ 0x2f_11_43_0b);
  const share = random.pick([0, 0, 0.1, 0.1, 0.3, 0.6, 1]);
  const kinds: Record<string, number> = {};
  for (const [name, [weight]] of Object.entries(acts)) {
    const isIn = random.chance(share);
    const times = random.pick([0.3, 1, 1, 3]);
    if (everyday.has(name) || isIn) kinds[name] = weight * times;
  }
  const often = random.chance(0.5) ? random.int(1, 4) : 0;
  const total = Object.values(kinds).reduce((sum, weight) => sum + weight, 0);
  // Floods one after the other would take minutes and show what a single one shows.
  const themes = Object.keys(acts).filter((name) => name !== 'presence without end');
  for (let n = 0; n < often; n += 1) kinds[random.pick(themes)] = total / often;
  return kinds;
}

export function drawActs(seed: number, untilMs: number, everyMs: number): readonly Act[] {
  const random = createRandom(seed ^ 0x5f_37_59_df);
  const kinds = Object.entries(kindsOf(seed));
  const total = kinds.reduce((sum, [, weight]) => sum + weight, 0);
  const paceMs = everyMs * random.pick([0.4, 1, 1, 3]);
  // Every now and then nothing happens for minutes: what is due after a while is due then.
  const pausesMs = random.pick([0, 300_000, 420_000]);
  const drawn: Act[] = [];
  const gapMs = (): number => Math.max(1, Math.round(-Math.log(1 - random.next()) * paceMs)) + (random.chance(0.03) ? pausesMs : 0);
  for (let atMs = 15_000; atMs < untilMs; atMs += gapMs()) {
    let dice = random.next() * total;
    const [name] = kinds.find(([, weight]) => (dice -= weight) < 0) ?? kinds[0]!;
    drawn.push([atMs, name, random.int(1, 2 ** 31 - 1)]);
  }
  return drawn;
}

export function carryOut(site: Site, [, name, dice]: Act): void {
  const found = acts[name];
  if (found === undefined) throw new Error(`no act ${name}`);
  count(site, name);
  if (!everyday.has(name)) site.faultAtMs = site.world.clock.monotonicMs();
  found[1](site, createRandom(dice));
}
