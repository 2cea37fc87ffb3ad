/** Questions between portals of one store about their audit records: one question on each line, over TLS with the key that all portals have. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { SvcError } from '../../schema/errors.ts';
import type { RecordAnswer, RecordQuestion } from '../audit/site-record.ts';
import { limits } from '../limits.ts';
import { dialPeer } from './peer-lines.ts';

const path = '/audit';

export type AnswerRecord = (question: RecordQuestion) => Promise<RecordAnswer>;

/** For the lines that other portals open: whoever has the key may ask. */
export async function answerPeer(answer: AnswerRecord | undefined, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (answer === undefined || req.method !== 'POST' || req.url !== path) return void res.writeHead(404).end();
  try {
    const body = await text(req);
    const said = JSON.stringify(await answer(JSON.parse(body) as RecordQuestion));
    res.writeHead(200, { 'content-type': 'application/json' }).end(said);
  } catch {
    res.writeHead(500).end();
  }
}

/** Rejects PORTAL_UNREACHABLE. */
export async function askPeer(address: string, key: string, question: RecordQuestion): Promise<RecordAnswer> {
  const line = await dialPeer(address, key);
  const away = (): SvcError => new SvcError('PORTAL_UNREACHABLE', `the portal at ${address} does not answer about its audit record`);
  const msMax = question.ask === 'verify' ? limits.peerVerifyMsMax : limits.peerRecordMsMax;
  const timer = setTimeout(() => line.destroy(), msMax);
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = http.request({ path, method: 'POST', createConnection: () => line, headers: { host: address } }, resolve);
      request.on('error', () => reject(away()));
      request.end(JSON.stringify(question));
    });
    if (answer.statusCode !== 200) throw away();
    return JSON.parse((await buffer(answer).catch(() => Promise.reject(away()))).toString('utf8')) as RecordAnswer;
  } finally {
    clearTimeout(timer);
    line.destroy();
  }
}
