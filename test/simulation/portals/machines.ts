/** Processes of svc up that come, stand still and go: what bin/up does at start and end, over the line to the database of the model. */
import { createTerms } from '../../../bin/up/leadership-terms.ts';
import type { Log } from '../../../controller/work/record.ts';
import { tryLease } from '../../../store/lease.ts';
import { joinPortals } from '../../../store/portals.ts';
import { fencedSql } from '../../../store/postgres.ts';
import { openPostgresRoomLog } from '../../../store/postgres-room-log.ts';
import { postgresSql } from '../../../store/postgres-sql.ts';
import { createRoomOwners } from '../../../store/room-owners.ts';
import { violate } from '../world.ts';
import { rowsOf, type Answer, type Question } from './database.ts';
import { openLine } from './line.ts';
import { createProcessClock } from './process.ts';
import { createController, type ModelController } from './term.ts';
import { createRelay } from './relay.ts';
import { portalsOf, tell, type Portal, type Term, type Simulation, type Slot } from './simulation.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Log;

export function startMachine(simulation: Simulation, slot: Slot): void {
  const { world, database, weather } = simulation;
  if (slot.portal !== null) return;
  const clock = createProcessClock(world.clock, slot);
  const name = `portal${slot.index}`;
  // Forges the room's owner in the portal's own statement.
  const bends = (question: Question, answer: Answer): Answer => (question.name === 'room-owners' ? forged(portal, question) : answer);
  const line = openLine({
    database,
    weather,
    clock,
    random: world.random,
    owner: slot,
    ...(simulation.leavesOut === 'rooms' && { bends }),
    onUnknown: (error) => violate(world, error.message),
  });
  const portal: Portal = { name, slot, clock, line, member: null, terms: null, relay: null, controllers: new Set(), seen: { number: 0 } };
  slot.portal = portal;
  tell(simulation, `${name} starts`);
  void begin(simulation, portal).catch(() => simulation.kill(portal));
}

function forged({ member, relay }: Portal, { values = [] }: Question): Answer {
  const salas = values[0] as readonly string[];
  return rowsOf(...salas.map((sala) => ({ sala, portal: member?.id, number: relay?.owners.heldOf(sala)?.number })));
}

async function begin(simulation: Simulation, portal: Portal): Promise<void> {
  const { clock, line, name } = portal;
  const { pool } = line;
  const onLapsed = (): void => void portal.relay?.lapsed();
  portal.member = await joinPortals(pool, { holder: name, address: name, version: '1', clock, onLapsed });
  const owners = createRoomOwners(pool, portal.member, clock);
  const log = openPostgresRoomLog({ pool, owners, clock });
  portal.terms = await createTerms<Term, ModelController>({
    member: { lead: () => lead(simulation, portal) },
    clock,
    log: silent,
    create: async (term) => createController(simulation, portal, term),
  });
  const first = portal.terms.controller();
  await first.prepare();
  await first.start();
  portal.terms.follow();
  portal.relay = createRelay(simulation, portal, { owners, log });
}

async function lead(simulation: Simulation, { clock, line: { pool }, name, seen }: Portal): Promise<Term | null> {
  const lease = await tryLease(pool, { holder: name, clock, name: 'model', seen });
  if (lease === null) return null;
  tell(simulation, `${name} has the lease ${lease.number}`);
  const made = fencedSql({ pool, clock, name: 'model' }, lease);
  // Left out on purpose: what it writes carries no number.
  const sql = simulation.leavesOut === 'writes' ? postgresSql(pool, clock, null) : made.sql;
  return { ...lease, ...made, sql };
}

/** As `kill -9`; systemd starts it again. */
export function killMachine(simulation: Simulation, portal: Portal): void {
  const { world } = simulation;
  const { slot, name, clock, line } = portal;
  if (slot.portal !== portal) return;
  tell(simulation, `${name} ends`);
  slot.portal = null;
  clock.kill();
  line.end();
  for (const socket of simulation.socketsOf(portal)) socket.end();
  world.clock.at(world.clock.monotonicMs() + world.random.int(1_000, 5_000), () => startMachine(simulation, slot));
}

/** As `systemctl restart`: rooms go to the others, and who led hands over. */
export async function drainMachine(simulation: Simulation, portal: Portal): Promise<void> {
  tell(simulation, `${portal.name} is told to end`);
  // A portal that does not come to its end is killed (TimeoutStopSec).
  portal.clock.at(portal.clock.monotonicMs() + 5_000, () => simulation.kill(portal));
  await portal.relay?.drain();
  await portal.terms?.end();
  await portal.member?.leave();
  simulation.kill(portal);
}

/** The portal that leads, and acts: its controller is in its place. */
export function leaderOf(simulation: Simulation): Portal | null {
  const number = simulation.database.lease?.number;
  return portalsOf(simulation).find(({ terms }) => terms?.leads() === true && terms.controller().number === number) ?? null;
}
