/**
 * Updates that are right in form and wild in what they depend on: structs that stand on later ones, on each other, on what never comes, on
 * collected ones and on holes, with parents that are no types, and deletions of what is not there. No writer of Yjs makes them.
 */
import { encodeUints } from '../../varuint.ts';

const clients = [1, 2, 3, 4] as const;

/** `clocks` is what the document holds, or more: the clocks are chosen around it. Bytes of one update. */
export function wildUpdate(random: (below: number) => number, clocks: ReadonlyMap<number, number>): Uint8Array<ArrayBuffer> {
  const sections = clients.filter(() => random(3) > 0).toReversed();
  const around = (client: number): number => Math.max(0, (clocks.get(client) ?? 0) + random(8) - 4);
  /** Mostly of what this update brings, or of what is there. */
  const id = (): number[] => {
    const client = clients[random(random(8) === 0 ? 4 : 3)]!;
    return [client, random(4) === 0 ? random(1 + around(client)) : around(client)];
  };
  const bytes: number[] = [sections.length];
  for (const client of sections) {
    const structs = Array.from({ length: 1 + random(4) }, () => struct(random, id));
    const from = random(5) === 0 ? around(client) : (clocks.get(client) ?? 0);
    bytes.push(...encodeUints([structs.length, client, from]), ...structs.flat());
  }
  return Uint8Array.from([...bytes, ...deletes(random, around)]);
}

function struct(random: (below: number) => number, id: () => number[]): readonly number[] {
  const kind = random(20);
  if (kind === 0) return [0, 1 + random(3)];
  if (kind === 1) return [10, 1 + random(3)];
  const content = contents[random(contents.length)]!;
  const origins = random(4);
  const info = content[0]! | (origins & 1 ? 128 : 0) | (origins & 2 ? 64 : 0);
  const places = [...(origins & 1 ? encodeUints(id()) : []), ...(origins & 2 ? encodeUints(id()) : [])];
  if (origins > 0) return [info, ...places, ...content.slice(1)];
  const parent = random(2) === 0 ? [1, 1, 97 + random(2)] : [0, ...encodeUints(id())];
  const key = random(3) === 0;
  return [key ? info | 32 : info, ...parent, ...(key ? [1, 107 + random(2)] : []), ...content.slice(1)];
}

/** Kind and bytes: deleted, text, formatting, types, values. */
const contents: readonly (readonly number[])[] = [
  [1, 2],
  [4, 1, 120],
  [4, 3, 120, 121, 122],
  [6, 1, 98, 4, 116, 114, 117, 101],
  [7, 0],
  [7, 1],
  [7, 2],
  [8, 2, 120, 121],
  [3, 1, 0],
];

function deletes(random: (below: number) => number, around: (client: number) => number): number[] {
  const of = clients.filter(() => random(6) === 0);
  return [of.length, ...encodeUints(of.flatMap((client) => [client, 1, around(client), 1 + random(3)]))];
}

/**
 * An update that Yjs takes a quarter of a billion steps for: `count` letters and bytes in a row, and as many letters before all of them, each of
 * which is placed by a look at everything up to the last one.
 */
export function wideUpdate(count: number): Uint8Array<ArrayBuffer> {
  const row = Array.from({ length: count }, (_, n) =>
    n === 0 ? [4, 1, 1, 97, 1, 120] : n % 2 === 0 ? [0x84, 1, ...encodeUints([n - 1]), 1, 120] : [0x83, 1, ...encodeUints([n - 1]), 1, 0],
  );
  const before = [0x44, 1, ...encodeUints([count - 1]), 1, 120];
  const sections = [
    [...encodeUints([count, 2, 0]), ...Array.from({ length: count }, () => before).flat()],
    [...encodeUints([count, 1, 0]), ...row.flat()],
  ];
  return Uint8Array.from([2, ...sections.flat(), 0]);
}
