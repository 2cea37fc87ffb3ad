/** Whether the world is as the desired state says: what the product tells, and what the process table and the sockets say beside it. */
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { readTable } from './processes.ts';
import { apps, type ChaosWorld } from './world.ts';

/** [] when everything is as it should be. */
export async function complaints(world: ChaosWorld): Promise<readonly string[]> {
  const found: string[] = [];
  const objects = await world.objects().catch(() => null);
  if (objects === null || !Array.isArray(objects)) return ['the portal does not answer'];
  const table = readTable(world);
  const stateOf = (key: string): string => {
    const object = objects.find((each) => each.key === key);
    return object === undefined ? 'absent' : `${object.state} (${object.reason})`;
  };
  for (const app of apps) {
    const state = stateOf(`Package/${app}`);
    if (!state.startsWith('installed ')) found.push(`Package/${app} is ${state}`);
    const changes = world.packageChanges(app);
    if (changes.length > 0) found.push(`Package/${app} differs from what was installed: ${changes.slice(0, 3).join(', ')}`);
  }
  for (const person of world.people) {
    const supervisors = table.supervisors(person);
    if (supervisors.length !== 1) found.push(`${person.name} has ${supervisors.length} supervisors`);
    for (const pid of supervisors.filter(standsStill)) found.push(`${person.name}: supervisor ${pid} stands still`);
    for (const stray of table.strays(person, (app) => world.wanted(person.name, app))) found.push(`${person.name}: left over: ${stray}`);
    for (const app of apps) {
      const on = world.wanted(person.name, app);
      const pids = table.backends(person, app);
      const state = stateOf(`Backend/${person.name}/${app}`);
      if (pids.length !== (on ? 1 : 0)) found.push(`${person.name}/${app}: ${pids.length} processes, wanted ${on ? 'on' : 'off'}`);
      if (!state.startsWith(on ? 'running ' : 'stopped ')) found.push(`${person.name}/${app} is ${state}, wanted ${on ? 'on' : 'off'}`);
    }
  }
  if (found.length > 0) return found;
  const wanted = world.people.flatMap((person) =>
    apps.filter((app) => world.wanted(person.name, app)).map((app) => ({ person, app, name: `${person.name}/${app}` })),
  );
  const deaf = await Promise.all(
    world.people.map(async (person) => ((await answersAt(person.paths.supervisorSocket)) ? null : person.name)),
  );
  found.push(...deaf.filter((name) => name !== null).map((name) => `${name}: nobody answers on the supervisor's socket`));
  if (found.length > 0) return found;
  const silent = await Promise.all(wanted.map(async ({ person, app, name }) => ((await world.knock(person, app)) === null ? name : null)));
  return silent.filter((name) => name !== null).map((name) => `${name}: nobody answers on its socket`);
}

/**
 * The product's own wait before it puts a package back that is harmed again and again, ms (docs/decisions/0052). A world of faults makes it
 * wait; a wait reported with its time is no fault.
 */
export async function toldWaitMs(world: ChaosWorld): Promise<number> {
  const objects = await world.objects().catch(() => []);
  const waits = (Array.isArray(objects) ? objects : []).map(({ kind, state, nextDeadlineMs, seenAtMs }) =>
    kind === 'Package' && state === 'drifted' && nextDeadlineMs !== null ? nextDeadlineMs - seenAtMs : 0,
  );
  return Math.max(0, ...waits);
}

/** Whether it was stopped by a signal. */
function standsStill(pid: number): boolean {
  try {
    return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function answersAt(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(path);
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Packages missing of the first installation. */
export async function packagesMissing(world: ChaosWorld): Promise<readonly string[]> {
  const objects = await world.objects();
  return apps.filter((app) => objects.find(({ key }) => key === `Package/${app}`)?.state !== 'installed');
}

const stack = /\\n {4}at |^ {4}at .*:\d+:\d+\)?$/m;

/** Lines with a stack in them, of the portal and of the supervisors. */
export function stacksInLogs(world: ChaosWorld): readonly string[] {
  const supervisors = world.people.flatMap(({ paths }) =>
    existsSync(paths.supervisorLog) ? [readFileSync(paths.supervisorLog, 'utf8')] : [],
  );
  return [world.portal.output(), ...supervisors].flatMap((text) =>
    text
      .split('\n')
      .filter((line) => stack.test(line))
      .map((line) => line.slice(0, 600)),
  );
}
