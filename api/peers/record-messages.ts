/**
 * Shapes and bounds of questions about audit records, and of their answers, between portals. Each end checks what the other one sends: it may be another
 * version, or a machine that somebody else took over. Decision: docs/decisions/0443-another-portal-is-checked.md
 */
import { auditResults } from '../../schema/audit.ts';
import { lineShape } from '../../schema/compile-shape.ts';
import { SvcError } from '../../schema/errors.ts';
import { closed, count, fields, list, nullable, oneOf, orNull } from '../../schema/static.ts';
import { objectKey, personId } from '../../schema/wire/http.ts';
import { limits as recordLimits } from '../../store/audit/limits.ts';
import type { RecordAnswer, RecordQuestion } from '../audit/site-record.ts';
import { excessOf } from '../http/json-bounds.ts';
import { limits } from '../limits.ts';

const place = { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\d:\d{1,15}$` } as const;
const text = (charsMax: number) => ({ type: 'string', maxLength: charsMax }) as const;
const time = { type: 'integer', minimum: -8_640_000_000_000_000, maximum: 8_640_000_000_000_000 } as const;
const action = { type: 'string', maxLength: 64, pattern: '^[a-z-]+(?:/[a-z-]+)?$' } as const;
const linesMax = { type: 'integer', minimum: 1, maximum: 999 } as const;

/** Closed: a condition that is not understood would let lines through. */
const query = fields({
  person: personId,
  action,
  object: { ...objectKey, maxLength: recordLimits.objectCharsMax, pattern: String.raw`^[^\u0000-\u001f\u007f]*$` },
  result: oneOf(auditResults),
  sinceMs: time,
  untilMs: time,
});

const questionTrouble = lineShape({
  anyOf: [
    closed({ ask: oneOf(['back', 'on']), from: orNull(place), query, linesMax, concerning: orNull(personId) }),
    closed({ ask: oneOf(['end', 'verify']) }),
  ],
});

/** Open: a newer portal may write more members. */
const open = (required: readonly string[], properties: object): object => ({ type: 'object', required, properties });
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const plainValue = { type: ['string', 'number', 'boolean'], maxLength: recordLimits.lineBytesMax } as const;
const word = text(1_024);
const lineTrouble = lineShape(
  open(['seq', 'time', 'portal', 'by', 'action', 'result', 'prev', 'hash'], {
    seq: { ...count, maximum: Number.MAX_SAFE_INTEGER },
    time: { type: 'string', pattern: String.raw`^\d{4}-(?:0\d|1[0-2])-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$` },
    portal: word,
    by: open(['kind'], {
      kind: text(64),
      person: word,
      app: word,
      job: word,
      login: word,
      uid: nullable('integer'),
      admin: { const: true },
    }),
    action,
    object: text(recordLimits.objectCharsMax),
    person: word,
    from: open(['address'], { address: word, agent: word }),
    result: oneOf(auditResults),
    code: word,
    reason: text(recordLimits.lineBytesMax),
    times: count,
    request: word,
    details: { type: 'object', maxProperties: 64, additionalProperties: plainValue },
    prev: hash,
    hash,
  }),
);

const ofLines = (item: object) => ({ ...list(item), maxItems: recordLimits.pageLinesMax });
const page = (next: object): object => closed({ lines: ofLines({}), marks: ofLines(place), reachedMs: orNull(time), next });

const verdict = closed({
  portal: word,
  verdict: closed({
    lines: count,
    files: count,
    found: count,
    messages: { ...list(text(recordLimits.lineBytesMax)), maxItems: recordLimits.findingsMax },
  }),
});

const answerTroubles: Record<RecordQuestion['ask'], (value: unknown) => string | null> = {
  back: lineShape(page(orNull(place))),
  on: lineShape(page(place)),
  end: lineShape(closed({ end: place })),
  verify: lineShape(verdict),
};

/** Throws BAD_REQUEST. */
export function readQuestion(said: string): RecordQuestion {
  const value = parse(said);
  const trouble = value === undefined ? 'it is no JSON, or nests too deep' : questionTrouble(value);
  if (trouble !== null) throw new SvcError('BAD_REQUEST', `this is no question about an audit record: ${trouble.slice(0, 200)}`);
  return value as RecordQuestion;
}

/** Throws PORTAL_PROTOCOL for what does not answer `question`. Lines that are none of a record are left out, as in the own record: `svc audit --verify` names them. */
export function readAnswer(address: string, question: RecordQuestion, said: string): RecordAnswer {
  const value = parse(said);
  const trouble = value === undefined ? 'it is no JSON, or holds too much' : answerTroubles[question.ask](value);
  const why = trouble ?? strayIn(question, value as RecordAnswer);
  if (why !== null) throw unreadable(address, why);
  const answer = value as RecordAnswer;
  if (!('lines' in answer)) return answer;
  const isLine = answer.lines.map((each) => lineTrouble(each) === null);
  return { ...answer, lines: answer.lines.filter((_, at) => isLine[at]), marks: answer.marks.filter((_, at) => isLine[at]) };
}

export const unreadable = (address: string, why: string): SvcError =>
  new SvcError('PORTAL_PROTOCOL', `what the portal at ${address} says of its audit record can't be read: ${why.slice(0, 200)}`);

function parse(said: string): unknown {
  if (excessOf(Buffer.from(said), { depthMax: limits.peerJsonDepthMax, valuesMax: limits.peerJsonValuesMax }) !== null) return undefined;
  try {
    return JSON.parse(said) as unknown;
  } catch {
    return undefined;
  }
}

/** A page that does not follow from its question: too many lines, or a next page that does not lead further, so that a reader would never end. */
function strayIn(question: RecordQuestion, answer: RecordAnswer): string | null {
  if (!('linesMax' in question) || !('lines' in answer)) return null;
  const { lines, marks, next } = answer;
  if (lines.length > question.linesMax) return 'it has more lines than were asked for';
  if (marks.length !== lines.length) return 'it does not have one place for each line';
  if (question.from === null || next === null) return null;
  const step = isBefore(next, question.from) ? 'back' : 'on';
  const isStuck = next === question.from && (question.ask === 'back' || lines.length > 0);
  return isStuck || (next !== question.from && step !== question.ask) ? 'its next page does not lead further' : null;
}

function isBefore(one: string, other: string): boolean {
  const [day = '', byte = ''] = one.split(':');
  const [otherDay = '', otherByte = ''] = other.split(':');
  return day === otherDay ? Number(byte) < Number(otherByte) : day < otherDay;
}
