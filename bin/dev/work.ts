/** Carries out a change: installs, restarts the backend, loads the page again, and reports the outcome. */
import { existsSync } from 'node:fs';
import { systemClock } from '../../controller/clock/system.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { DevChange, DevOutcome } from '../../schema/wire/dev.ts';
import type { Change } from './changes.ts';
import type { Ignoring } from './first-good.ts';
import { limits as machineLimits } from '../../machines/limits.ts';
import { limits } from './limits.ts';
import { judgeManifest } from './manifest.ts';
import { mistakeOf } from './mistake.ts';
import type { Session } from './session.ts';

const clock = systemClock;

/** Never rejects. */
export async function work(session: Session, ignored: Ignoring, change: Change, overtaken: AbortSignal): Promise<void> {
  const { folder } = session.options;
  if (!existsSync(folder)) {
    session.board.last({ ...seen(change, 'failed'), detail: session.say('folderGone', { pasta: folder }) });
    return session.terminal.event('bad', session.say('folderGone', { pasta: folder }));
  }
  try {
    if (change.source) return await build(session, change, overtaken);
    await done(session, ignored, change, overtaken);
  } catch (error) {
    if (overtaken.aborted) return;
    const message = error instanceof SvcError ? `${error.code} ${error.message}` : (error as Error).message;
    session.board.last({ ...seen(change, 'failed'), detail: message });
    session.terminal.event('bad', session.say('failed', { motivo: message }), change.files);
  }
}

async function done(session: Session, ignored: Ignoring, change: Change, overtaken: AbortSignal): Promise<void> {
  const { board, terminal, say, delivery, portal, backends } = session;
  const manifest = change.manifest ? await judged(session, ignored, change) : null;
  // With errors in it the last good one is in force, and what else changed is done; but nothing is packed with it.
  const isRefused = change.manifest && manifest === null;
  if (isRefused && (!delivery.isLive || (!change.backend && change.page === 'no'))) return;
  const isLivePage = delivery.isLive && !change.backend && manifest === null;
  const whose = backends.running();
  if (!isLivePage) {
    session.late.wait.abort();
    terminal.begin();
    board.last(seen(change, 'working'));
  }
  await delivery.put(portal.running.gateway, manifest, overtaken);
  if (!isLivePage) return await restart(session, change, { overtaken, whose });
  if (change.page === 'no') return;
  board.reload(change.page);
  board.last({ ...seen(change, 'reloaded'), tookMs: sinceThen(change) });
  const isDown = board.state().last?.outcome === 'crashed';
  terminal.event(isDown ? 'busy' : 'plain', isDown ? `${say(change.page)}; ${say('stillDown')}` : say(change.page), change.files);
}

/** Runs build.sh; the files it writes are a change of their own. After a failed build the last good program goes on. */
async function build({ options, board, terminal, say, builder, people }: Session, change: Change, signal: AbortSignal): Promise<void> {
  if (!builder.exists()) return;
  board.last(seen(change, 'building'));
  const built = await builder.build(change.sinceMs, signal, (text) => terminal.log('build', people[0] ?? '', text));
  if (signal.aborted) return;
  if (built === null) return board.unsaid();
  const ms = sinceThen(change);
  if (built.failure === '') {
    board.last({ ...seen(change, 'built'), tookMs: ms });
    return terminal.event('good', say('built', { ms }), change.files);
  }
  const place = mistakeOf(built.lines, options.folder)?.text ?? '';
  board.last({ ...seen(change, 'unbuilt'), tookMs: ms, detail: [place, built.failure].filter((part) => part !== '').join('; ') });
  terminal.event('bad', say('buildFailed', { motivo: built.failure }), change.files);
  if (place !== '') terminal.note(place, 'bad');
}

const sinceThen = ({ sinceMs }: Change): number => Math.round(clock.monotonicMs() - sinceMs);

async function restart(
  session: Session,
  change: Change,
  { overtaken, whose }: { readonly overtaken: AbortSignal; readonly whose: readonly string[] },
): Promise<void> {
  const { board, terminal, say, backends } = session;
  const isLong = clock.at(clock.monotonicMs() + limits.restartTellMs, () => {
    const waits = backends.waitsFor(whose);
    const s = machineLimits.stopGraceMs / 1_000;
    if (waits !== null) terminal.event('busy', waits === 'end' ? say('stillEnds', { s }) : say('stillStarts'), change.files);
  });
  const came = await backends.restart(whose, overtaken).finally(isLong);
  if (came === null) return;
  const bad = came.find(({ answer }) => !answer.ready);
  if (bad === undefined) return ready(session, change);
  const { words, detail, tail, refused } = await backends.why(bad);
  const isSlow = bad.answer.status === 'starting';
  board.last({
    ...seen(change, isSlow ? 'slow' : 'crashed'),
    tookMs: sinceThen(change),
    reason: refused ? null : bad.answer.reason,
    detail,
  });
  if (isSlow) {
    terminal.event('busy', say('slow', { motivo: words }), change.files);
    session.late.wait = new AbortController();
    void backends.answersLater(bad.person, session.late.wait.signal).then((answers) => answers && ready(session, change));
    return;
  }
  terminal.event('bad', say(refused ? 'notStarted' : 'crashed', { motivo: words }), change.files);
  if (tail.length > 0) terminal.crash(bad.person, say('tail'), tail);
  terminal.note(say('nextTry'));
}

function ready({ board, terminal, say }: Session, change: Change): void {
  const isChange = change.files.length > 0;
  if (isChange) board.reload('page');
  const ms = sinceThen(change);
  board.last({ ...seen(change, 'ready'), tookMs: ms });
  terminal.event('good', say(isChange ? 'restartedAndPage' : 'restarted', { ms }), change.files);
}

const seen = ({ files }: Change, outcome: DevOutcome): DevChange => ({
  files: [...files],
  outcome,
  atMs: clock.nowMs(),
  tookMs: null,
  reason: null,
  detail: '',
});

/** Null: it has errors, which were reported. */
async function judged({ options, terminal, say, board, app }: Session, ignored: Ignoring, change: Change): Promise<Manifest | null> {
  const { manifest, errors: found, warnings } = await judgeManifest(options.folder, ignored);
  const isOther = manifest !== null && manifest.id !== app;
  const errors = isOther ? [`svc-app.json: ${say('idChanged', { antes: app, depois: manifest.id })}`] : found;
  board.manifest(errors);
  if (manifest === null || errors.length > 0) {
    board.last(seen(change, 'refused'));
    terminal.event('bad', say('manifestBad'), change.files);
    terminal.note(errors.join('\n'), 'bad');
    return null;
  }
  if (warnings.length > 0) terminal.note(warnings.join('\n'), 'busy');
  return manifest;
}
