/**
 * Leadership among portals that share a database: one leads, the others observe. Each serves its people all the time: the controller of the
 * next leadership term has seen everything before the one of the last term goes. Decision: docs/decisions/0299-portals-that-watch.md
 */
import type { Controller } from '../../controller/loop/loop.ts';
import type { Log } from '../../controller/work/record.ts';
import { pause, type Clock } from '../../schema/clock.ts';
import { limits } from '../limits.ts';
import type { Leading } from '../../store/postgres.ts';

/** Leadership term, whatever its store. */
type Term = Pick<Leading, 'number' | 'lost' | 'release'>;
type Ruled = Pick<Controller, 'prepare' | 'start' | 'rest' | 'stop'>;

export interface TermOptions<One extends Term = Leading, Of extends Ruled = Controller> {
  readonly member: { lead(): Promise<One | null> };
  readonly clock: Clock;
  readonly log: Log;
  /** Null: of a portal that looks. It is not prepared yet. */
  readonly create: (leading: One | null) => Promise<Of>;
}

export interface LeadershipTerms<Of extends Ruled = Controller> {
  readonly controller: () => Of;
  readonly leads: () => boolean;
  /** Reports each next controller: its views count from then on. */
  onController(listener: (controller: Of, before: Of) => void): void;
  /** Begins to follow who leads; before it the first controller is neither prepared nor started. */
  follow(): void;
  /** Hands over, so that the next one need not wait. */
  end(): Promise<void>;
}

/** Leadership of a portal without others, for as long as it lives. */
export async function loneTerm(create: TermOptions['create']): Promise<LeadershipTerms> {
  const controller = await create(null);
  return {
    controller: () => controller,
    leads: () => true,
    onController: () => undefined,
    follow: () => undefined,
    end: () => controller.stop(),
  };
}

interface State<One extends Term, Of extends Ruled> {
  readonly options: TermOptions<One, Of>;
  leading: One | null;
  controller: Of;
  onController: (controller: Of, before: Of) => void;
  /** Resolves when this portal ends. */
  readonly ended: Promise<void>;
  isOver: boolean;
}

export async function createTerms<One extends Term, Of extends Ruled>(options: TermOptions<One, Of>): Promise<LeadershipTerms<Of>> {
  const { promise: ended, resolve: endLoop } = Promise.withResolvers<void>();
  const leading = await options.member.lead();
  const controller = await options.create(leading);
  const state: State<One, Of> = { options, leading, controller, onController: () => undefined, ended, isOver: false };
  let loop: Promise<void> = Promise.resolve();
  return {
    controller: () => state.controller,
    leads: () => state.leading !== null,
    onController: (listener) => {
      state.onController = listener;
    },
    follow: () => {
      loop = follow(state);
    },
    end: async () => {
      state.isOver = true;
      endLoop();
      await loop;
      await state.controller.stop();
      await state.leading?.release();
    },
  };
}

async function follow<One extends Term, Of extends Ruled>(state: State<One, Of>): Promise<void> {
  let isKnown = true;
  while (!state.isOver) {
    try {
      if (state.leading === null) await takeOver(state);
      else await stepDown(state, state.leading);
      if (!isKnown) state.options.log.info({}, 'who leads is known again');
      isKnown = true;
    } catch (error) {
      // Once: it is asked several times a second.
      if (isKnown) state.options.log.error({ err: error }, 'who leads is not known');
      isKnown = false;
    }
  }
}

/** Tries to become the leader, after a pause. */
async function takeOver<One extends Term, Of extends Ruled>(state: State<One, Of>): Promise<void> {
  await untilNextLook(state);
  if (state.isOver) return;
  const taken = await state.options.member.lead();
  if (taken === null) return;
  state.options.log.info({ number: taken.number }, 'this portal leads now');
  try {
    await change(state, taken);
  } catch (error) {
    await taken.release();
    throw error;
  }
}

/** Waits for the end of this portal's leadership. */
async function stepDown<One extends Term, Of extends Ruled>(state: State<One, Of>, { lost }: One): Promise<void> {
  await Promise.race([state.ended, lost.catch(() => undefined)]);
  if (state.isOver) return;
  state.options.log.warn({}, 'another portal leads now: this one only looks');
  await state.controller.rest();
  while (!state.isOver && state.leading !== null) {
    try {
      await change(state, null);
    } catch (error) {
      state.options.log.error({ err: error }, 'the store could not be read');
      await untilNextLook(state);
    }
  }
}

/** The next one sees everything first; then the views are its own, and the one before goes. */
async function change<One extends Term, Of extends Ruled>(state: State<One, Of>, next: One | null): Promise<void> {
  const made = await state.options.create(next);
  try {
    await made.prepare();
    await made.start();
  } catch (error) {
    await made.stop();
    throw error;
  }
  const before = state.controller;
  Object.assign(state, { controller: made, leading: next });
  state.onController(made, before);
  await before.stop();
}

async function untilNextLook<One extends Term, Of extends Ruled>({ options: { clock }, ended }: State<One, Of>): Promise<void> {
  await Promise.race([ended, pause(clock, limits.leaseLookMs)]);
}
