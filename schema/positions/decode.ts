/** Bytes to text, at the border: size, UTF-8, byte order mark, NUL. */
import type { Problem } from '../findings.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });
const start = { start: 0, end: 0 };

/** With problems the text is only good for showing the place, never for parsing. */
export function decodeText(bytes: Uint8Array | string, bytesMax: number): { text: string; problems: Problem[] } {
  const size = typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.byteLength;
  if (size > bytesMax) {
    return {
      text: '',
      problems: [{ code: 'TOO_LARGE', path: '', span: start, message: `expected at most ${bytesMax} bytes, found ${size}` }],
    };
  }
  let text: string;
  if (typeof bytes === 'string') text = bytes;
  else {
    try {
      text = utf8.decode(bytes);
    } catch {
      return invalidUtf8(bytes);
    }
  }
  const problems: Problem[] = [];
  if (text.startsWith('\uFEFF')) {
    problems.push({
      code: 'BYTE_ORDER_MARK',
      path: '',
      span: start,
      message: 'expected UTF-8 without a byte order mark; save the file without one',
    });
  }
  const nul = text.indexOf('\0');
  if (nul !== -1)
    problems.push({ code: 'NUL_BYTE', path: '', span: { start: nul, end: nul + 1 }, message: 'expected text, found a NUL byte' });
  return { text, problems };
}

/** Points at the first byte that is not UTF-8: everything before it decodes. */
function invalidUtf8(bytes: Uint8Array): { text: string; problems: Problem[] } {
  let good = 0;
  let bad = bytes.byteLength;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  const before = lossy.decode(bytes.subarray(0, good), { stream: false }).replace(/\uFFFD$/, '');
  const span = { start: before.length, end: before.length + 1 };
  return { text: lossy.decode(bytes), problems: [{ code: 'INVALID_UTF8', path: '', span, message: 'expected UTF-8, found other bytes' }] };
}

/** Whether the bytes are the beginning of valid UTF-8 (a character may be cut at the end). */
function decodes(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
