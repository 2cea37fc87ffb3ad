/** A tar of files, written while they are read: the archive itself is held nowhere. Format: POSIX ustar, with pax records where ustar is too small. */
export interface TarFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Yields exactly `bytes` bytes. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

const block = 512;
const namesMax = 100;
/** Eleven octal digits. */
const sizeMax = 8 ** 11 - 1;

export async function* tarOf(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const { path, bytes, modifiedMs, read } of files) {
    const records = recordsOf(path, bytes);
    if (records.length > 0) {
      yield header('x', 'pax', records.length, modifiedMs);
      yield records;
      yield padding(records.length);
    }
    yield header('0', records.length > 0 ? 'file' : path, Math.min(bytes, sizeMax), modifiedMs);
    let left = bytes;
    for await (const chunk of read()) {
      left -= chunk.length;
      yield chunk;
    }
    if (left !== 0) throw new Error(`${path}: announced were ${bytes} bytes, ${bytes - left} came`);
    yield padding(bytes);
  }
  yield Buffer.alloc(2 * block);
}

const padding = (bytes: number): Buffer => Buffer.alloc((block - (bytes % block)) % block);

/** Empty where the header alone says it. */
function recordsOf(path: string, bytes: number): Buffer {
  const fits = /^[\x20-\x7e]*$/.test(path) && path.length <= namesMax;
  return Buffer.concat([
    ...(fits && bytes <= sizeMax ? [] : [record('path', path)]),
    ...(bytes > sizeMax ? [record('size', `${bytes}`)] : []),
  ]);
}

/** `LENGTH KEY=VALUE\n`, where LENGTH counts its own digits too. */
function record(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (`${length}`.length + rest !== length) length = `${length}`.length + rest;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function header(type: '0' | 'x', name: string, bytes: number, modifiedMs: number): Buffer {
  const made = Buffer.alloc(block);
  const octal = (value: number, at: number, width: number): void => void made.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at);
  made.write(name, 0, namesMax, 'latin1');
  octal(0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(Math.max(0, Math.floor(modifiedMs / 1_000)), 136, 12);
  made.write(`        ${type}`, 148);
  made.write('ustar\x0000', 257, 'latin1');
  made.write(
    `${made
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return made;
}
