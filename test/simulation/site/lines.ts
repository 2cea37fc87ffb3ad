/** Supervisors of the model on their sockets: the product's protocol over streams that are late, lose replies and break in the middle. */
import { createHash } from 'node:crypto';
import { duplexPair, type Duplex } from 'node:stream';
import { SvcError } from '../../../schema/errors.ts';
import { limits as machineLimits } from '../../../machines/limits.ts';
import type { StopReason } from '../../../schema/reasons/derived.ts';
import type { AppSnapshot } from '../../../schema/supervisor-lines.ts';
import { kitVersion, supervisorProtocolVersion } from '../../../schema/supervisor-protocol.ts';
import { take } from '../orders.ts';
import type { ProcessClock } from '../portals/process.ts';
import { killSupervisor, snapshotOf } from '../server-model.ts';
import type { AppModel, PersonModel } from '../world.ts';
import { checkOrder, checkQuit } from './checks.ts';
import { count, type Line, type Site } from './site.ts';

interface Request {
  readonly id: number;
  readonly op: string;
  readonly app?: string;
  readonly token?: string;
  readonly pinned?: boolean;
  readonly requestId?: string;
  readonly reason?: StopReason;
}

const hashes = new Map<string, string>();

/** Hash of a package as the product writes it. */
export function hashOf(name: string): string {
  const known = hashes.get(name) ?? createHash('sha256').update(name).digest('hex');
  hashes.set(name, known);
  return known;
}

function snapshotOnLine(app: AppModel): AppSnapshot {
  const { installed, process, ...rest } = snapshotOf(app);
  return {
    ...rest,
    installed: installed && { ...installed, hash: hashOf(installed.hash) },
    process: process && { ...process, hash: process.hash === null ? null : hashOf(process.hash) },
  };
}

const isKnown = (app: AppModel): boolean => app.installed.present || app.env !== null || app.processes.length > 0;

/** Connects as `Host.dial` does; rejects where no supervisor listens. */
export function dialSupervisor(site: Site, person: PersonModel, process: ProcessClock): Duplex {
  if (person.supervisor === null) throw new SvcError('SERVER_UNREACHABLE', 'nobody listens');
  const [ours, theirs] = duplexPair();
  const line: Line = {
    person,
    life: person.supervisor,
    stream: theirs,
    process,
    isSubscribed: false,
    isOver: false,
    inMs: 0,
    outMs: 0,
  };
  site.lines.add(line);
  let rest = '';
  ours.on('error', () => undefined);
  theirs.on('error', () => undefined).on('close', () => endLine(site, line));
  theirs.setEncoding('utf8').on('data', (text: string) => {
    site.activity += 1;
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const one of lines) receive(site, line, JSON.parse(one) as Request);
  });
  return ours;
}

export function endLine(site: Site, line: Line): void {
  if (line.isOver) return;
  line.isOver = true;
  site.lines.delete(line);
  line.process.gate(() => {
    site.activity += 1;
    line.stream.destroy();
  });
}

export function endLinesOf(site: Site, isMeant: (line: Line) => boolean): void {
  for (const line of site.lines) if (isMeant(line)) endLine(site, line);
}

/** Messages sent while the server is away arrive when it is back, unless the line ended. */
function onArrival(site: Site, line: Line, atMs: number, act: () => void): void {
  const { clock } = site.world;
  clock.at(atMs, () => {
    if (line.isOver) return;
    if (line.person.server.reachable) act();
    else onArrival(site, line, clock.monotonicMs() + 500, act);
  });
}

function receive(site: Site, line: Line, request: Request): void {
  const { clock } = site.world;
  const random = site.chance(`to ${line.person.name}`);
  line.inMs = Math.max(line.inMs, clock.monotonicMs() + random.int(1, 10));
  onArrival(site, line, line.inMs, () => {
    if (line.person.supervisor !== line.life) return endLine(site, line);
    answer(site, line, request);
  });
}

function answer(site: Site, line: Line, request: Request): void {
  const { weather } = site;
  const isOrder = ['start', 'stop', 'pin'].includes(request.op);
  const isHit = weather.hits === null || weather.hits === request.op;
  if (isOrder && isHit && weather.lostReplies > 0 && !site.isResting && site.chance('orders lost').chance(0.5)) {
    weather.lostReplies -= 1;
    count(site, 'orders lost');
    return;
  }
  const reply = { id: request.id, ...carryOut(site, line, request) };
  if (isHit && weather.lostReplies > 0) {
    weather.lostReplies -= 1;
    return count(site, 'replies lost');
  }
  let lateMs = 0;
  if (isHit && weather.lateReplies > 0) {
    weather.lateReplies -= 1;
    lateMs = site.chance('late replies').int(500, machineLimits.supervisorReplyMsMax + 2_000);
    count(site, 'replies late');
  }
  const text = `${JSON.stringify(reply)}\n`;
  if (isHit && weather.cutReplies > 0) {
    weather.cutReplies -= 1;
    count(site, 'lines cut within a reply');
    send(site, line, text.slice(0, site.chance('cuts').int(0, text.length - 1)), lateMs);
    return onArrival(site, line, line.outMs, () => endLine(site, line));
  }
  send(site, line, text, lateMs);
}

function send(site: Site, line: Line, text: string, lateMs = 0): void {
  const { clock } = site.world;
  const random = site.chance(`from ${line.person.name}`);
  line.outMs = Math.max(line.outMs, clock.monotonicMs() + random.int(1, 20) + lateMs);
  onArrival(site, line, line.outMs, () =>
    line.process.gate(() => {
      site.activity += 1;
      line.stream.write(text);
    }),
  );
}

const accepted = { ok: true, accepted: true } as const;

function carryOut(site: Site, line: Line, request: Request): object {
  const { person } = line;
  const { world } = site;
  const app = person.apps.find(({ id }) => id === request.app);
  const apps = (): object => ({ ok: true, apps: person.apps.filter(isKnown).map(snapshotOnLine) });
  switch (request.op) {
    case 'hello':
      return {
        ok: true,
        protocol: supervisorProtocolVersion,
        version: kitVersion,
        pid: line.life,
        bootId: 'boot',
        home: `/home/${person.name}`,
        outdated: false,
        disk: '',
      };
    case 'subscribe':
      line.isSubscribed = true;
      return apps();
    case 'snapshot':
      return apps();
    case 'usage':
      return { ok: true, atMs: world.clock.monotonicMs(), apps: [] };
    case 'quit':
      checkQuit(site, person);
      killSupervisor(world, person);
      world.clock.at(world.clock.monotonicMs() + 30, () => endLinesOf(site, (one) => one.person === person && one.life === line.life));
      return accepted;
    case 'used':
    case 'doubt':
    case 'note':
      return accepted;
  }
  if (app === undefined) return { ok: false, error: { code: 'NOT_FOUND', message: `no app ${request.app}` } };
  if (request.op === 'token') return { ok: true, token: app.env === null ? null : (site.tokens.get(app) ?? null) };
  checkOrder(site, app, request);
  if (request.op === 'start') {
    site.tokens.set(app, request.token ?? '');
    const order = { app: app.id, requestId: request.requestId ?? '', pinned: request.pinned === true } as never;
    take(world, app, { kind: 'backend/start', person: person.name, app: app.id, order });
  } else if (request.op === 'stop') {
    const { requestId = '', reason = 'StoppedByAdmin' } = request;
    take(world, app, { kind: 'backend/stop', person: person.name, app: app.id, requestId, reason });
  } else if (request.op === 'pin')
    take(world, app, { kind: 'backend/pin', person: person.name, app: app.id, pinned: request.pinned === true });
  else return { ok: false, error: { code: 'BAD_REQUEST', message: request.op } };
  return accepted;
}

/** A change of the app, to everybody who subscribed. A supervisor may come to it late; it tells of the app as it is then. */
export function pushChange(site: Site, app: AppModel): void {
  const { weather, world } = site;
  if (weather.latePushes === 0) return tellChange(site, app);
  weather.latePushes -= 1;
  count(site, 'pushes late');
  world.clock.at(world.clock.monotonicMs() + site.chance('late pushes').int(500, 9_000), () => tellChange(site, app));
}

function tellChange(site: Site, app: AppModel): void {
  const news = isKnown(app) ? { event: 'app', snapshot: snapshotOnLine(app) } : { event: 'gone', app: app.id };
  for (const line of site.lines)
    if (line.person === app.person && line.isSubscribed && line.person.supervisor === line.life)
      send(site, line, `${JSON.stringify(news)}\n`);
}
