/** A connection between a page and a portal: what is written on one side comes out at the other in order, late, or not at all while it is cut. */
import { duplexPair, type Duplex } from 'node:stream';
import type { ProcessClock } from '../portals/process.ts';
import type { Random } from '../random.ts';
import type { Site } from './site.ts';

export interface Wire {
  /** The page's end. */
  readonly near: Duplex;
  /** The portal's end. */
  readonly far: Duplex;
  /** Nothing arrives any more, and neither end is told, until `end`. */
  stall(): void;
  end(): void;
  isStalled(): boolean;
}

export function openWire(site: Site, process: ProcessClock, random: Random): Wire {
  const [near, inner] = duplexPair();
  const [outer, far] = duplexPair();
  let [isStalled, isOver] = [false, false];
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    site.activity += 1;
    for (const one of [inner, near]) one.destroy();
    process.gate(() => [outer, far].forEach((one) => one.destroy()));
  };
  const carry = (from: Duplex, to: Duplex, through: (act: () => void) => void): void => {
    const { clock } = site.world;
    let lastMs = 0;
    const later = (act: () => void): void => {
      site.activity += 1;
      lastMs = Math.max(lastMs, clock.monotonicMs() + random.int(1, 15));
      clock.at(lastMs, () => {
        if (isOver || isStalled) return;
        through(() => {
          site.activity += 1;
          act();
        });
      });
    };
    from.on('data', (chunk: Buffer) => later(() => void to.write(chunk)));
    from.on('end', () => later(() => void to.end()));
    // Bytes that were written before still arrive.
    from.on('close', () => later(() => void clock.at(clock.monotonicMs() + 1, end)));
    from.on('error', () => undefined);
  };
  carry(inner, outer, (act) => process.gate(act));
  carry(outer, inner, (act) => act());
  for (const one of [near, far]) one.on('error', () => undefined);
  return {
    near,
    far,
    stall: () => {
      isStalled = true;
    },
    end,
    isStalled: () => isStalled,
  };
}
