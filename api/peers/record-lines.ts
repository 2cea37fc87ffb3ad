/** Questions between portals of one store about their audit records: one question on each line, over TLS with the key that all portals have. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { SvcError } from '../../schema/errors.ts';
import type { RecordAnswer, RecordQuestion } from '../audit/site-record.ts';
import { limits } from '../limits.ts';
import { dialPeer } from './peer-lines.ts';
import { readAnswer, readQuestion, unreadable } from './record-messages.ts';

const path = '/audit';

export type AnswerRecord = (question: RecordQuestion) => Promise<RecordAnswer>;

type Respond = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** For the lines that other portals open: whoever has the key may ask, `peerQuestionsMax` at a time. An error is its code, with the status of that code. */
export function answerPeers(answer: () => AnswerRecord | undefined): Respond {
  let underWay = 0;
  return async (req, res) => {
    underWay += 1;
    try {
      await respond(underWay > limits.peerQuestionsMax ? refuse : answer(), req, res);
    } finally {
      underWay -= 1;
    }
  };
}

const refuse: AnswerRecord = () => Promise.reject(new SvcError('RATE_LIMITED', `${limits.peerQuestionsMax} questions are being answered`));

async function respond(answer: AnswerRecord | undefined, req: IncomingMessage, res: ServerResponse): Promise<void> {
  res.setHeader('connection', 'close');
  if (answer === undefined || req.method !== 'POST' || req.url !== path) return void res.writeHead(404).end();
  try {
    const body = await textOf(req, limits.peerQuestionBytesMax);
    if (body === null) throw new SvcError('TOO_LARGE', 'the question is larger than the limit');
    const said = JSON.stringify(await answer(readQuestion(body)));
    res.writeHead(200, { 'content-type': 'application/json' }).end(said);
  } catch (error) {
    const { code, status } = error instanceof SvcError ? error : { code: 'INTERNAL', status: 500 };
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ code }));
  }
}

/** Rejects PORTAL_UNREACHABLE, and PORTAL_PROTOCOL for an answer that is none. */
export async function askPeer(address: string, key: string, question: RecordQuestion): Promise<RecordAnswer> {
  const away = (): SvcError => new SvcError('PORTAL_UNREACHABLE', `the portal at ${address} does not answer about its audit record`);
  const msMax = question.ask === 'verify' ? limits.peerVerifyMsMax : limits.peerRecordMsMax;
  const { status, said } = await post(address, key, { path, question, msMax, bytesMax: limits.peerAnswerBytesMax, away });
  if (status !== 200) throw away();
  if (said === null) throw unreadable(address, `it is larger than ${limits.peerAnswerBytesMax} bytes`);
  return readAnswer(address, question, said);
}

interface Posted {
  readonly path: string;
  readonly question: unknown;
  readonly msMax: number;
  readonly bytesMax: number;
  /** The error of a portal that does not answer. */
  readonly away: () => SvcError;
}

/** Asks on a line of its own. `said` null: the answer has more bytes. */
export async function post(
  address: string,
  key: string,
  { path: at, question, msMax, bytesMax, away }: Posted,
): Promise<{ readonly status: number; readonly said: string | null }> {
  const line = await dialPeer(address, key);
  const timer = setTimeout(() => line.destroy(), msMax);
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = http.request({ path: at, method: 'POST', createConnection: () => line, headers: { host: address } }, resolve);
      request.on('error', () => reject(away()));
      request.end(JSON.stringify(question));
    });
    return { status: answer.statusCode ?? 0, said: await textOf(answer, bytesMax).catch(() => Promise.reject(away())) };
  } finally {
    clearTimeout(timer);
    line.destroy();
  }
}

/** Null: there are more bytes. Rejects when it breaks off. */
export async function textOf(body: IncomingMessage, bytesMax: number): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > bytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
