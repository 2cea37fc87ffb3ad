/** People and the administrator: sessions, windows, clicks, documents, other code on disk. */
import type { PendingIntent } from '../../reconcilers/backend-types.ts';
import { enqueue, enqueuePerson } from './portal-model.ts';
import { end, notice, watchIdle } from './server-model.ts';
import { after, countFault, type AppModel, type PersonModel, type World } from './world.ts';

/** A person's deeds stop while `calm` says so. */
export interface Calm {
  calm: boolean;
}

export function ask(world: World, app: AppModel, wish: PendingIntent['wish'], by: PendingIntent['by']): void {
  // A dead portal answers nobody.
  if (world.portal === null || app.person.document !== 'written') return;
  world.requests += 1;
  world.tally.intents += 1;
  app.intent = { wish, by, requestId: `r${world.requests}`, atMs: world.clock.nowMs() };
  enqueue(world, app);
  enqueuePerson(world, app.person);
}

export function openWindow(world: World, app: AppModel): void {
  if (world.portal === null || app.person.document !== 'written') return;
  app.windows = { open: app.windows.open + 1, zeroSinceMs: null };
  if (app.shown?.state !== 'running') ask(world, app, 'start', 'navigation');
  else enqueue(world, app);
}

export function closeWindow(world: World, app: AppModel): void {
  if (app.windows.open === 0) return;
  const open = app.windows.open - 1;
  app.windows = { open, zeroSinceMs: open === 0 ? world.clock.nowMs() : null };
  if (open === 0) watchIdle(world, app);
  enqueue(world, app);
}

/** Closes the windows of a person who is signed out by their removal: their pages end, and no window is waited for. */
export function closeAll(app: AppModel): void {
  app.windows = { open: 0, zeroSinceMs: null };
}

export function liveDay(world: World, person: PersonModel, mood: Calm): void {
  const { random } = world;
  after(world, random.int(0, 10 * 3_600_000), () => {
    signIn(world, person, mood);
    after(world, random.int(2 * 3_600_000, 9 * 3_600_000), () => signOut(world, person));
  });
}

export function signIn(world: World, person: PersonModel, mood: Calm): void {
  if (person.document !== 'written') return;
  person.session = world.clock.nowMs();
  for (const app of person.apps) enqueue(world, app);
  enqueuePerson(world, person);
  doSomething(world, person, mood, person.session);
}

export function signOut(world: World, person: PersonModel): void {
  person.session = null;
  for (const app of person.apps) while (app.windows.open > 0) closeWindow(world, app);
  for (const app of person.apps) enqueue(world, app);
  enqueuePerson(world, person);
}

function doSomething(world: World, person: PersonModel, mood: Calm, session: number): void {
  const { random } = world;
  after(world, random.int(60_000, 40 * 60_000), () => {
    if (person.session !== session) return;
    if (!mood.calm) deed(world, random.pick(person.apps));
    doSomething(world, person, mood, session);
  });
}

function deed(world: World, app: AppModel): void {
  const { random } = world;
  const dice = random.next();
  if (dice < 0.8) {
    openWindow(world, app);
    after(world, random.int(20_000, 40 * 60_000), () => closeWindow(world, app));
    // Some come back within the two minutes.
    if (random.chance(0.1)) after(world, random.int(20_000, 40 * 60_000), () => openAgain(world, app));
  } else if (dice < 0.87) ask(world, app, 'stop', 'person');
  else if (dice < 0.92) ask(world, app, 'restart', 'person');
  else if (dice < 0.95) {
    ask(world, app, 'start', 'person');
    ask(world, app, 'stop', 'person');
  } else if (dice < 0.97) {
    ask(world, app, 'stop', 'person');
    after(world, random.int(1, 400), () => ask(world, app, 'start', 'person'));
  } else writeDocument(world, app, random.pick(['ligado', 'desligado', null, null] as const));
}

function openAgain(world: World, app: AppModel): void {
  if (app.person.session === null) return;
  openWindow(world, app);
  after(world, world.random.int(20_000, 600_000), () => closeWindow(world, app));
}

export function writeDocument(world: World, app: AppModel, document: AppModel['document']): void {
  // A document that names a person or an app without a document is an error of the folder.
  if (document !== null && (app.person.document !== 'written' || app.installed.document !== 'written')) return;
  app.document = document;
  enqueue(world, app);
  enqueuePerson(world, app.person);
}

/** Puts other code on the disk; with `force` every instance gets SIGTERM, whoever runs it. Source: rules 3.3 row 10. */
export function installAgain(world: World, force: boolean): void {
  const installed = world.random.pick(world.packages);
  if (!installed.present || installed.document !== 'written') return;
  installed.hash = `hash-${world.clock.monotonicMs()}`;
  countFault(world, force ? 'forced install' : 'install');
  for (const app of world.apps) {
    if (app.installed !== installed) continue;
    if (force) for (const process of app.processes) end(world, app, process, 'Crashed');
    if (app.person.supervisor !== null && app.env !== null) notice(world, app);
    if (app.memory !== null && app.memory.state !== 'stopped') enqueue(world, app);
  }
}
