/** The world as one portal sees it during one leadership term: its memories are its own, everything else is the world itself. */
import type { PendingIntent } from '../../../reconcilers/backend-types.ts';
import type { AppModel, Among, Installed, PersonModel, ServerModel, World } from '../world.ts';
import type { ProcessClock } from './process.ts';

/** Where what a portal keeps goes. */
export interface Keeps {
  memory(app: AppModel): void;
  supervisorMemory(person: PersonModel): void;
}

export interface ViewOptions extends Keeps {
  readonly clock: ProcessClock;
  readonly among: Among;
}

export interface View {
  readonly world: World;
  readonly apps: ReadonlyMap<AppModel, AppModel>;
  readonly people: ReadonlyMap<PersonModel, PersonModel>;
  readonly servers: ReadonlyMap<ServerModel, ServerModel>;
}

/** `own` is this portal's; what is not in it is read from the model, and written to it. */
function seenAs<Model extends object>(model: Model, own: object): Model {
  const view = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(model) as (keyof Model & string)[]) {
    if (key in own) continue;
    const property = { get: () => model[key], set: (value: never) => void (model[key] = value), enumerable: true };
    Object.defineProperty(view, key, property);
  }
  return Object.defineProperties(view, Object.getOwnPropertyDescriptors(own)) as Model;
}

export function createView(ground: World, options: ViewOptions): View {
  const servers = new Map<ServerModel, ServerModel>();
  const people = new Map<PersonModel, PersonModel>();
  const apps = new Map<AppModel, AppModel>();
  for (const server of ground.servers) {
    const own = { seen: 'unknown', asked: false, people: [] as PersonModel[], packages: [] as Installed[] };
    const view = seenAs(server, own);
    servers.set(server, view);
    const packages = new Map<Installed, Installed>();
    for (const one of server.packages)
      packages.set(one, seenAs(one, { seen: one.present, removing: false, task: null, asked: false, server: view }));
    own.packages.push(...packages.values());
    for (const person of server.people) {
      const mine = seenAs(person, personOwn(person, view, options));
      people.set(person, mine);
      own.people.push(mine);
      for (const app of person.apps) {
        const seen = seenAs(app, appOwn(app, mine, packages.get(app.installed) as Installed, options));
        apps.set(app, seen);
        mine.apps.push(seen);
      }
    }
  }
  const mischief = { ...ground.mischief };
  const lists = { servers: [...servers.values()], people: [...people.values()], apps: [...apps.values()] };
  const { clock, among } = options;
  const world = seenAs(ground, { among, clock, mischief, ...lists, portal: null, portalLives: 0, unseen: new Set(), clockMoved: false });
  return { world, apps, people, servers };
}

function personOwn(person: PersonModel, server: ServerModel, keeps: Keeps): object {
  let { supervisorMemory } = person;
  return {
    ground: person,
    server,
    apps: [],
    link: 'down',
    busy: false,
    again: false,
    asked: false,
    ordered: 0,
    signedOut: false,
    supervisorEnded: false,
    get supervisorMemory() {
      return supervisorMemory;
    },
    set supervisorMemory(memory) {
      if (supervisorMemory === memory) return;
      supervisorMemory = memory;
      keeps.supervisorMemory(this as PersonModel);
    },
  };
}

function appOwn(app: AppModel, person: PersonModel, installed: Installed, keeps: Keeps): object {
  let { memory } = app;
  return {
    ground: app,
    person,
    installed,
    intent: app.intent,
    snapshot: null,
    snapshotSeq: 0,
    probe: null,
    probing: false,
    starting: false,
    busy: false,
    again: false,
    alarm: null,
    alarmAtMs: null,
    shown: null,
    get memory() {
      return memory;
    },
    set memory(next) {
      if (memory === next) return;
      memory = next;
      keeps.memory(this as AppModel);
    },
  };
}

/** Rows of the store that a leadership term reads: all of one moment. */
export interface Stored {
  readonly intents: ReadonlyMap<AppModel, PendingIntent | null>;
  readonly memories: ReadonlyMap<AppModel, string>;
  readonly supervisors: ReadonlyMap<PersonModel, string>;
}
