/** Follows the chain of the record over all files that are there, and names each place at which it breaks. */
import type { AuditHead, AuditLine } from '../../schema/audit.ts';
import { daysIn, fileOfDay } from './files.ts';
import { limits } from './limits.ts';
import { noLine, readLine } from './line.ts';
import { linesOn, sizeOf } from './lines.ts';

export interface AuditFinding {
  readonly what: 'changed' | 'removed' | 'inserted' | 'unreadable';
  readonly file: string;
  /** 1-based; 0: of the file, or of the record as a whole. */
  readonly line: number;
  readonly message: string;
}

export interface AuditVerdict {
  readonly files: number;
  readonly lines: number;
  /** The last line that was followed; null: there is none. */
  readonly head: AuditHead | null;
  /** The first `findingsMax` of them. */
  readonly findings: readonly AuditFinding[];
  readonly found: number;
}

interface Place {
  readonly file: string;
  readonly line: number;
}

interface Chain {
  lines: number;
  last: AuditHead | null;
  /** Place of `last`. */
  lastAt: Place;
  first: { readonly line: AuditLine; readonly at: Place } | null;
  /** Where lines of dropped files ended, by their hash. */
  readonly dropped: Map<number, string>;
  /** Whether the line of the expected head has the expected hash; null: it did not come. */
  sawHead: boolean | null;
  find(what: AuditFinding['what'], at: Place, message: string): void;
}

/** `expected`: how far the portal says that the record went. */
export async function verifyRecord(dir: string, expected: AuditHead | null): Promise<AuditVerdict> {
  const findings: AuditFinding[] = [];
  let found = 0;
  const nowhere = { file: dir, line: 0 };
  const chain: Chain = {
    lines: 0,
    last: null,
    lastAt: nowhere,
    first: null,
    dropped: new Map(),
    sawHead: null,
    find: (what, at, message) => {
      found += 1;
      if (findings.length < limits.findingsMax) findings.push({ what, ...at, message });
    },
  };
  const days = await daysIn(dir);
  for (const day of days) {
    let number = 0;
    const file = fileOfDay(dir, day);
    // A line without its end is one that is being written, or was when the portal died: its next start mends it.
    for await (const { bytes } of linesOn(file, 0, (await sizeOf(file)) ?? 0)) {
      number += 1;
      follow(chain, { file, line: number }, bytes.toString('utf8').slice(0, -1), expected);
    }
  }
  judgeBeginning(chain);
  judgeEnd(chain, expected);
  return { files: days.length, lines: chain.lines, head: chain.last, findings, found };
}

function follow(chain: Chain, at: Place, text: string, expected: AuditHead | null): void {
  const read = text.length > limits.lineBytesMax ? null : readLine(text);
  if (read === null) return chain.find('unreadable', at, 'this is no line of the record');
  const { line, isWhole } = read;
  chain.lines += 1;
  if (!isWhole) chain.find('changed', at, `line ${line.seq} was changed: its hash is not that of its content`);
  const { last } = chain;
  chain.first ??= { line, at };
  if (last !== null && line.seq <= last.seq)
    return chain.find(
      'inserted',
      at,
      `line ${line.seq} stands behind line ${last.seq} (${placeText(chain.lastAt)}): one of them was inserted`,
    );
  if (last !== null && line.seq > last.seq + 1) {
    const gap = line.seq === last.seq + 2 ? `line ${last.seq + 1} is` : `lines ${last.seq + 1} to ${line.seq - 1} are`;
    chain.find('removed', at, `${gap} missing before this one`);
  } else if (last !== null && line.prev !== last.hash && isWhole)
    chain.find('changed', chain.lastAt, `line ${last.seq} is not the one that line ${line.seq} was written after`);
  if (line.action === 'audit/drop' && isWhole) chain.dropped.set(Number(line.details?.['seq']), String(line.details?.['hash']));
  if (expected?.seq === line.seq) chain.sawHead = line.hash === expected.hash;
  chain.last = { seq: line.seq, hash: line.hash };
  chain.lastAt = at;
}

/** The first line that is there is the first one of all, or follows a file that was dropped by the rule. */
function judgeBeginning({ first, dropped, ...chain }: Chain): void {
  if (first === null) return;
  const { seq, prev } = first.line;
  if (seq === 1 && prev === noLine.hash) return;
  if (seq > 1 && dropped.get(seq - 1) === prev) return;
  chain.find(
    'removed',
    first.at,
    seq === 1
      ? 'line 1 is not the first one of a record'
      : `the lines before line ${seq} are missing, and no line says that they were dropped`,
  );
}

function judgeEnd({ last, lastAt, sawHead, ...chain }: Chain, expected: AuditHead | null): void {
  if (expected === null || expected.seq === 0) return;
  if (last === null || last.seq < expected.seq)
    chain.find('removed', lastAt, `the record ends at line ${last?.seq ?? 0}; the portal wrote up to line ${expected.seq}`);
  else if (sawHead === false) chain.find('changed', lastAt, `line ${expected.seq} is not the one that the portal wrote`);
}

const placeText = ({ file, line }: Place): string => `${file}:${line}`;
