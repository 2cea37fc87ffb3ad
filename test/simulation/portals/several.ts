/** How what happens in the world reaches each portal: edges by the database, pushes by each one's own line, orders against the fence of a supervisor. */
import { fenceFrom } from '../../../kit/supervise/fence.ts';
import { push } from '../pushes.ts';
import { enqueuePerson, noticeServer, setLink } from '../portal-model.ts';
import { violate, type AppModel, type PersonModel, type Several } from '../world.ts';
import { isCode } from './codes.ts';
import type { ModelController } from './term.ts';
import { portalsOf, tell, type Simulation, type SupervisorFence } from './simulation.ts';

export function createSeveral(simulation: () => Simulation): Several {
  /** To each portal by itself, late by a little, or lost. */
  const edge = (act: (controller: ModelController) => void): void => {
    const all = simulation();
    const { clock, random } = all.world;
    for (const { clock: process, slot, controllers } of portalsOf(all)) {
      if (all.weather.isAway || all.weather.cut.has(slot) || random.chance(all.weather.lostEdges)) {
        all.tally.lostEdges += 1;
        continue;
      }
      clock.at(clock.monotonicMs() + random.int(1, 20), () => process.gate(() => controllers.forEach(act)));
    }
  };
  const directly = (act: (controller: ModelController) => void): void => {
    for (const { clock, controllers } of portalsOf(simulation())) clock.gate(() => controllers.forEach(act));
  };
  const fenceOf = (person: PersonModel): SupervisorFence => {
    const { fences } = simulation();
    const known = fences.get(person) ?? { life: -1, kept: 0, met: 0, fence: fenceFrom(0, () => undefined) };
    fences.set(person, known);
    if (known.life === person.lives) return known;
    // The next one reads what the one before kept in its file.
    known.life = person.lives;
    known.fence = fenceFrom(known.kept, (number) => {
      known.kept = number;
    });
    return known;
  };
  return {
    changed: (app) => edge((controller) => controller.look(app)),
    personChanged: (person) => edge(({ view }) => enqueuePerson(view.world, of(view.people, person))),
    lineEnded: (person) => directly(({ view }) => setLink(view.world, of(view.people, person), 'down')),
    serverChanged: (server) => directly(({ view }) => noticeServer(view.world, of(view.servers, server))),
    pushed: (app) => {
      for (const { controllers } of portalsOf(simulation())) for (const one of controllers) pushTo(one, app);
    },
    seen: (person, among) => {
      if (!among.leads()) return;
      const known = fenceOf(person);
      known.fence.hear(among.number.told);
      known.met = Math.max(known.met, among.number.real);
    },
    accepts: (person, { number: { told, real } }) => {
      const all = simulation();
      const known = fenceOf(person);
      try {
        known.fence.obey(told);
      } catch (error) {
        if (!isCode(error, 'CONFLICT')) throw error;
        all.tally.refusedOrders += 1;
        return false;
      }
      if (real < known.met) {
        tell(all, `an order of leader ${real} is taken`);
        violate(all.world, `the supervisor of ${person.name} took an order of leader ${real} after it met ${known.met}`);
      }
      known.met = Math.max(known.met, real);
      return true;
    },
    lateMs: () => {
      const { weather, world } = simulation();
      return weather.lateOrdersMs === 0 || world.random.chance(0.5) ? 0 : world.random.int(0, weather.lateOrdersMs);
    },
  };
}

function pushTo({ view }: ModelController, app: AppModel): void {
  push(view.world, of(view.apps, app));
}

function of<Model>(views: ReadonlyMap<Model, Model>, model: Model): Model {
  const view = views.get(model);
  if (view === undefined) throw new Error('a portal does not see the whole world');
  return view;
}
