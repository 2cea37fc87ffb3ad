import { describe, expect, test } from 'vitest';
import { BadResponse, createResponseParser, type ResponseHead } from './response-parser.ts';

interface Seen {
  heads: ResponseHead[];
  informational: number[];
  body: string;
  trailers: readonly string[] | null;
  clean: boolean | null;
  rest: string | null;
  finished: boolean;
}

/** Feeds `bytes` in pieces cut at `cuts` and says what came out; the error's message when it was refused. */
function parse(bytes: string, cuts: readonly number[] = [], isHead = false): Seen | string {
  const seen: Seen = { heads: [], informational: [], body: '', trailers: null, clean: null, rest: null, finished: false };
  const parser = createResponseParser();
  parser.expect(isHead, {
    informational: (head) => seen.informational.push(head.status),
    head: (head) => seen.heads.push(head),
    body: (slice) => (seen.body += slice.toString('latin1')),
    end: (trailers, clean) => {
      seen.trailers = trailers;
      seen.clean = clean;
    },
    switched: (head, rest) => {
      seen.heads.push(head);
      seen.rest = rest.toString('latin1');
    },
  });
  const all = Buffer.from(bytes, 'latin1');
  try {
    let from = 0;
    for (const cut of [...cuts, all.length]) {
      if (cut > from) parser.push(all.subarray(from, cut));
      from = cut;
    }
  } catch (error) {
    if (error instanceof BadResponse) return error.message;
    throw error;
  }
  seen.finished = parser.finish();
  return seen;
}

const everyByte = (bytes: string): number[] => Array.from({ length: bytes.length }, (_, index) => index);

const ok = (bytes: string, isHead = false): Seen => {
  const seen = parse(bytes, [], isHead);
  if (typeof seen === 'string') throw new Error(`refused: ${seen}`);
  return seen;
};

describe('answers that are read', () => {
  test.for([
    ['length', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'hello', true],
    ['length 0', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', '', true],
    [
      'chunked',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n',
      'hello0123456789',
      true,
    ],
    ['until close', 'HTTP/1.1 200 OK\r\n\r\nall of it', 'all of it', false],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', '', true],
    ['304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\n\r\n', '', true],
    ['empty reason', 'HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx', 'x', true],
    ['no reason', 'HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx', 'x', true],
    ['1.0 closes', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx', 'x', false],
    ['1.0 keeps alive', 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx', 'x', true],
    ['close said', 'HTTP/1.1 200 OK\r\nConnection: foo, Close\r\nContent-Length: 1\r\n\r\nx', 'x', false],
  ] as const)('%s', ([, bytes, body, reusable]) => {
    const seen = ok(bytes);
    expect(seen.body).toBe(body);
    expect(seen.heads[0]!.reusable).toBe(reusable);
    expect(seen.trailers).not.toBeNull();
    expect(seen.finished).toBe(true);
  });

  test('sixteen interim answers go before one, the seventeenth is too many', () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
    for (const interim of ['HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n']) {
      expect(ok(interim.repeat(16) + answer).informational).toHaveLength(16);
      expect(parse(interim.repeat(17) + answer)).toMatch(/interim/);
    }
  });

  test('the same in whatever pieces they arrive', () => {
    const bytes =
      'HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nT: v\r\n\r\n';
    const whole = ok(bytes);
    expect(whole.body).toBe('abcde');
    expect(whole.trailers).toEqual(['T', 'v']);
    for (let cut = 1; cut < bytes.length; cut += 1) expect(parse(bytes, [cut])).toEqual(whole);
    expect(parse(bytes, everyByte(bytes))).toEqual(whole);
  });

  test('a value loses the spaces and tabs around it and no other byte', () => {
    const seen = ok('HTTP/1.1 204 No Content\r\nX: \t a\xa0\t\r\nY:\xa0\r\n\r\n');
    expect(seen.heads[0]!.raw).toEqual(['X', 'a\xa0', 'Y', '\xa0']);
  });

  test('a HEAD has no body whatever its length says', () => {
    const seen = ok('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', true);
    expect(seen.heads[0]!.framing).toBe('none');
    expect(seen.clean).toBe(true);
  });

  test('bytes after the end are no second answer: the connection is spent', () => {
    const seen = ok('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil');
    expect(seen.heads).toHaveLength(1);
    expect(seen.body).toBe('x');
    expect(seen.clean).toBe(false);
  });

  test('101 hands over everything behind the head', () => {
    const seen = ok('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x02hi');
    expect(seen.rest).toBe('\x81\x02hi');
    expect(seen.heads[0]!.upgrade).toBe('websocket');
  });

  test('an answer that ends too early is not finished', () => {
    expect(ok('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel').finished).toBe(false);
    expect(ok('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n').finished).toBe(false);
    expect(ok('HTTP/1.1 200 OK\r\nContent-Le').finished).toBe(false);
  });
});

describe('answers that are refused', () => {
  test.for([
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
    ['status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['status 999', 'HTTP/1.1 999 OK\r\n\r\n'],
    ['control character in the reason', 'HTTP/1.1 200 O\x07K\r\n\r\n'],
    ['bare LF', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n'],
    ['space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n'],
    ['folded header', 'HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n'],
    ['header without a colon', 'HTTP/1.1 200 OK\r\nX\r\n\r\n'],
    ['empty name', 'HTTP/1.1 200 OK\r\n: x\r\n\r\n'],
    ['NUL in a value', 'HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n'],
    ['CR in a value', 'HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx'],
    ['list of lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx'],
    ['negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['hex length', 'HTTP/1.1 200 OK\r\nContent-Length: 0x1\r\n\r\nx'],
    ['length and chunked', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['chunked in 1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    // RFC 9110 5.6.3: white space is a space or a tab.
    ['a length after a no-break space', 'HTTP/1.1 200 OK\r\nContent-Length:\xa01\r\n\r\nx'],
    ['a vertical tab before a value', 'HTTP/1.1 200 OK\r\nX:\x0ba\r\n\r\n'],
    ['a form feed after a length', 'HTTP/1.1 200 OK\r\nContent-Length: 1\x0c\r\n\r\nx'],
    ['chunked after a no-break space', 'HTTP/1.1 200 OK\r\nTransfer-Encoding:\xa0chunked\r\n\r\n0\r\n\r\n'],
    ['gzip, chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
    ['chunked twice', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['chunk size with a sign', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\nx\r\n0\r\n\r\n'],
    ['chunk size in 0x', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\nx\r\n0\r\n\r\n'],
    ['empty chunk size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nx\r\n0\r\n\r\n'],
    ['chunk longer than said', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n'],
    ['endless chunk extension', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(400)}\r\nx\r\n0\r\n\r\n`],
    ['endless head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['endless head that never ends', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}`],
    ['too many headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(300)}\r\n`],
    ['endless trailers', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${`X: ${'y'.repeat(900)}\r\n`.repeat(40)}\r\n`],
  ] as const)('%s', ([, bytes]) => {
    expect(parse(bytes)).toBeTypeOf('string');
    // Byte by byte it is no different; of a long one in pieces of a few bytes, since what came is read again with each.
    const step = bytes.length > 10_000 ? 29 : 1;
    expect(
      parse(
        bytes,
        everyByte(bytes).filter((at) => at % step === 0),
      ),
    ).toBeTypeOf('string');
  });
});
