/**
 * SHA-256 piece by piece: the browser's own takes all bytes at once and is missing on plain http, and inputs and outputs of jobs are larger than
 * what a page may hold. Source: FIPS 180-4.
 */

/** The first 32 bits of the fractional parts of roots of the first 64 primes: square roots for the start, cube roots for the rounds. */
function constants(): { readonly start: Uint32Array; readonly rounds: Uint32Array } {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32);
  return {
    start: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    rounds: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  };
}

export interface Sha256 {
  add(bytes: Uint8Array): void;
  /** Hexadecimal. Called once, at the end. */
  digest(): string;
}

const blockBytes = 64;
const { start, rounds } = constants();

export function createSha256(): Sha256 {
  const state = Uint32Array.from(start);
  const rest = new Uint8Array(blockBytes);
  const schedule = new Uint32Array(blockBytes);
  let kept = 0;
  let total = 0;
  const add = (bytes: Uint8Array): void => {
    total += bytes.length;
    let at = 0;
    if (kept > 0) {
      at = Math.min(blockBytes - kept, bytes.length);
      rest.set(bytes.subarray(0, at), kept);
      kept += at;
      if (kept < blockBytes) return;
      compress(state, schedule, rest, 0);
      kept = 0;
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) compress(state, schedule, bytes, at);
    rest.set(bytes.subarray(at));
    kept = bytes.length - at;
  };
  return {
    add,
    digest: () => {
      const bits = BigInt(total) * 8n;
      const end = new Uint8Array((kept < 56 ? 64 : 128) - kept);
      end[0] = 0x80;
      new DataView(end.buffer).setBigUint64(end.length - 8, bits);
      add(end);
      return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
    },
  };
}

function compress(state: Uint32Array, w: Uint32Array, bytes: Uint8Array, at: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, blockBytes);
  for (let i = 0; i < 16; i += 1) w[i] = view.getUint32(i * 4);
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + rounds[i]! + w[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i] = state[i]! + word;
  });
}
