/** The records of several portals as one: over real lines between portals, with one that does not answer and one that holds nothing of what is asked. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditEntry } from '../../schema/audit.ts';
import { openAuditLog, type AuditLog } from '../../store/audit/log.ts';
import { peerLines, otherRecords, type PeerOptions } from '../peers/portal-peers.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { answerRecord, createSiteRecord, type SitePage, type SiteRecord } from './site-record.ts';

const key = 'a key that all portals of the store have';
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const clock = createManualClock();
interface Member {
  readonly address: string;
  readonly audit: AuditLog;
  readonly record: SiteRecord;
}

/** Portals that listen for each other; `gone` was there before and answers no more. */
async function members(count: number, gone: readonly string[] = []): Promise<readonly Member[]> {
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const all = [...ports.map((port) => `127.0.0.1:${port}`), ...gone];
  return await Promise.all(
    ports.map(async (listenPort, index) => {
      const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-record-'));
      ends.push(() => rmSync(dir, { recursive: true }));
      const address = all[index] ?? '';
      const rule = () => ({ syslog: false });
      const audit = await openAuditLog({ dir, portal: address, clock, rule, onTrouble: () => undefined });
      ends.push(() => audit.close());
      const peers: PeerOptions = {
        portal: String(index),
        address,
        key,
        listenHost: '127.0.0.1',
        listenPort,
        elsewhere: async () => null,
        living: async () => new Set(all),
        recorded: async () => all,
      };
      const lines = peerLines(peers, async () => undefined, {
        record: () => (question) => answerRecord(audit, address, question),
        revert: () => undefined,
      });
      await lines.listen();
      ends.push(() => lines.close());
      return { address, audit, record: createSiteRecord(audit, otherRecords(peers, { warn: () => undefined })) };
    }),
  );
}

/** A moment later than the line before it, in this record. */
function tell({ audit }: Member, name: string, more: Partial<AuditEntry> = {}): void {
  clock.advance(10);
  audit.record({ by: { kind: 'controller' }, action: 'object/forget', object: `Kind/${name}`, result: 'ok', ...more });
}

const names = ({ lines }: SitePage): string => lines.map(({ object = '' }) => object.slice(5)).join(' ');
const all = { query: {}, linesMax: 100 };

let one: Member;
let two: Member;
let three: Member;
beforeEach(async () => {
  [one, two, three] = (await members(3)) as [Member, Member, Member];
  for (const name of ['a', 'c', 'd', 'g']) tell(name === 'c' || name === 'g' ? two : one, name);
  tell(three, 'x', { action: 'keys/rotate' });
});

test('lines of all portals come in the order of time, from each of them, page by page', async () => {
  for (const { record } of [one, two, three]) expect(names(await record.back(undefined, all))).toBe('x g d c a');
  for (const linesMax of [1, 2, 3]) {
    const pages: string[] = [];
    for (let at: string | null | undefined; at !== null;) {
      const page: SitePage = await one.record.back(at, { query: {}, linesMax });
      pages.push(names(page));
      at = page.next;
    }
    expect([linesMax, pages.filter((page) => page !== '').join(' ')]).toEqual([linesMax, 'x g d c a']);
  }
  expect(names(await two.record.back(undefined, { query: { action: 'keys' }, linesMax: 2 }))).toBe('x');
});

test('new lines of all portals follow, and each one once', async () => {
  const end = await two.record.end();
  expect(names(await two.record.on(end, all))).toBe('');
  tell(three, 'h');
  tell(one, 'i');
  tell(two, 'j');
  const page = await two.record.on(end, all);
  expect(names(page)).toBe('h i j');
  expect(names(await two.record.on(page.next ?? '', all))).toBe('');
});

test('a person sees what concerns them at any portal, and no more', async () => {
  tell(two, 'mine', { action: 'terminal/open', by: { kind: 'person', person: 'ana' } });
  tell(three, 'routine', { action: 'app/stop', person: 'ana' });
  tell(three, 'theirs', { action: 'secret/set', person: 'bia' });
  expect(names(await one.record.back(undefined, { query: { person: 'ana' }, linesMax: 9, concerning: 'ana' }))).toBe('mine');
});

test('a portal that does not answer is named, and the rest is shown', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const [alone] = (await members(1, [address])) as [Member];
  tell(alone, 'k');
  expect(await alone.record.back(undefined, all)).toMatchObject({ unread: [address], lines: [{ object: 'Kind/k' }], next: null });
  expect(await alone.record.verify()).toEqual([{ portal: address, verdict: null }]);
});

test('a changed line of any portal is found from each of them', async () => {
  await two.audit.flush();
  const file = path.join(two.audit.dir, readdirSync(two.audit.dir).find((name) => name.endsWith('.jsonl')) ?? '');
  writeFileSync(file, readFileSync(file, 'utf8').replace('Kind/c', 'Kind/z'));
  expect(await one.record.verify()).toMatchObject(
    [two, three]
      .toSorted((left, right) => (left.address < right.address ? -1 : 1))
      .map(({ address }) => ({ portal: address, verdict: address === two.address ? { found: 1 } : { found: 0, messages: [] } })),
  );
});

test('a place that no portal gave is refused', async () => {
  for (const cursor of ['AAAAAAAA', Buffer.from('{"x":"../y"}').toString('base64url')])
    await expect(one.record.back(cursor, all)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});
