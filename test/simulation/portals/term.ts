/**
 * The controller of one leadership term: the loop of portal-model.ts over a view of the world, whose records are written to the store by
 * the product's own acts under the product's own number (store/postgres-sql.ts). A controller that only observes writes nothing.
 */
import type { BackendDecision } from '../../../reconcilers/backend-types.ts';
import { checkFinished } from '../invariants.ts';
import { enqueue, enqueuePerson, startPortal } from '../portal-model.ts';
import { violate, type AppModel, type PersonModel, type World } from '../world.ts';
import type { PostgresSql } from '../../../store/postgres-sql.ts';
import { isCode } from './codes.ts';
import type { Portal, Term, Simulation } from './simulation.ts';
import { createView, type Stored, type View } from './view.ts';

export interface ModelController {
  readonly view: View;
  readonly number: number | null;
  prepare(): Promise<void>;
  start(): Promise<void>;
  rest(): Promise<void>;
  stop(): Promise<void>;
  /** Observes an app after an edge. */
  look(app: AppModel): void;
}

const statusText = 'model: status';
const supervisorText = 'model: supervisor';
const finishText = 'model: finish';
const readText = 'model: read';

/** Acts of the model in the database, with the check that no deposed portal does them. */
export function knowActs({ world, database, tally }: Simulation): void {
  const judged = (kind: string, number: unknown): void => {
    tally.writes += 1;
    if (database.lease?.number !== number)
      violate(world, `a ${kind} of leader ${String(number)} was written and ${String(database.lease?.number)} leads`);
  };
  const appOf = (key: unknown): AppModel | undefined => world.apps.find((app) => app.key === key);
  database.acts.set(statusText, ([key, json, number]) => {
    judged('status', number);
    const app = appOf(key);
    if (app !== undefined) app.memory = JSON.parse(String(json)) as AppModel['memory'];
  });
  database.acts.set(supervisorText, ([name, json, number]) => {
    judged('status', number);
    const person = world.people.find((one) => one.name === name);
    if (person !== undefined) person.supervisorMemory = JSON.parse(String(json)) as PersonModel['supervisorMemory'];
  });
  database.acts.set(finishText, ([key, requestId, outcome, number]) => {
    judged('finished wish', number);
    const app = appOf(key);
    if (app?.intent?.requestId !== requestId || app === undefined) return;
    checkFinished(world, app, { outcome } as BackendDecision);
    app.intent = null;
    world.several?.changed(app);
  });
  database.acts.set(readText, ([take]) => (take as (stored: Stored) => void)(storedNow(world)));
}

const storedNow = (world: World): Stored => ({
  intents: new Map(world.apps.map((app) => [app, app.intent])),
  memories: new Map(world.apps.map((app) => [app, JSON.stringify(app.memory)])),
  supervisors: new Map(world.people.map((person) => [person, JSON.stringify(person.supervisorMemory)])),
});

/** Rejects as the driver does. */
async function readStore({ line }: Portal): Promise<Stored> {
  let stored: Stored | null = null;
  const take = (found: Stored): void => {
    stored = found;
  };
  await line.pool.query(readText, [take]);
  if (stored === null) throw new Error('nothing was read');
  return stored;
}

// oxlint-disable-next-line max-lines-per-function -- closures over one term
export function createController(simulation: Simulation, portal: Portal, term: Term | null): ModelController {
  const number = term?.number ?? null;
  const { clock } = portal;
  let isOver = false;
  const failed = new Set<AppModel>();
  const keep = async (write: (sql: PostgresSql) => Promise<unknown>, onFailed: () => void): Promise<void> => {
    if (term === null) return;
    try {
      await write(term.sql);
    } catch (error) {
      if (isCode(error, 'STATE_IN_USE')) simulation.tally.refusedWrites += 1;
      else onFailed();
    }
  };
  const keepMemory = (app: AppModel): void =>
    void keep(
      (sql) => sql.write(() => sql.prepare(statusText).run(app.key, JSON.stringify(app.memory), number)),
      () => failed.add(app),
    );
  const look = async (only: AppModel | null): Promise<void> => {
    const stored = await readStore(portal).catch(() => null);
    if (stored === null || isOver) return;
    for (const [ground, app] of view.apps) {
      if (only !== null && ground !== only) continue;
      const intent = stored.intents.get(ground) ?? null;
      // An order that this one finished may stand there until that is written.
      app.intent = intent;
      enqueue(view.world, app);
    }
    if (only !== null) enqueuePerson(view.world, view.people.get(only.person) as PersonModel);
  };
  const view = createView(simulation.world, {
    clock,
    among: {
      leads: () => number !== null && !isOver,
      number: { told: simulation.leavesOut === 'orders' ? undefined : (number ?? undefined), real: number ?? 0 },
      die: () => simulation.kill(portal),
      refresh: () => {
        for (const app of failed) keepMemory(app);
        failed.clear();
        void look(null);
      },
      finish: (app, decision) => {
        const { intent } = app;
        app.intent = null;
        if (intent === null) return;
        const values = [app.key, intent.requestId, decision.outcome, number] as const;
        void keep(
          (sql) => sql.write(() => sql.prepare(finishText).run(...values)),
          () => undefined,
        );
      },
    },
    memory: keepMemory,
    supervisorMemory: (person) =>
      void keep(
        (sql) => sql.write(() => sql.prepare(supervisorText).run(person.name, JSON.stringify(person.supervisorMemory), number)),
        () => undefined,
      ),
  });
  const end = async (): Promise<void> => {
    isOver = true;
    portal.controllers.delete(controller);
    view.world.portal = null;
  };
  const controller: ModelController = {
    view,
    number,
    prepare: async () => {
      const stored = await readStore(portal);
      for (const [ground, app] of view.apps) {
        app.intent = stored.intents.get(ground) ?? null;
        app.memory = JSON.parse(stored.memories.get(ground) ?? 'null') as AppModel['memory'];
      }
      for (const [ground, person] of view.people)
        person.supervisorMemory = JSON.parse(stored.supervisors.get(ground) ?? 'null') as PersonModel['supervisorMemory'];
    },
    start: async () => {
      portal.controllers.add(controller);
      startPortal(view.world);
      // It sees everything before it takes the place of the one before.
      await new Promise<void>((resolve) => clock.at(clock.monotonicMs() + 150, resolve));
    },
    rest: end,
    stop: end,
    look: (app) => void look(app),
  };
  return controller;
}
