/**
 * The screens of all terminals. The screens of one person are drawn in a thread of their own, with a bound on its time and memory: a thread that is
 * over it is ended, the person's screens are empty then, and nobody else's. Screens on which nothing happens are kept as text, without a thread.
 * Decision: docs/decisions/0395-terminals-are-drawn-in-threads.md
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../schema/clock.ts';
import type { TerminalSize } from '../../schema/terminals.ts';
import type { TerminalColours } from '../../schema/wire/terminals.ts';
import { limits } from './limits.ts';
import type { ScreenAnswer, ScreenOrder, ScreenRequest } from './screen-thread.ts';

export interface Screen {
  /** Calls back once the bytes are on the screen, or the screen is lost. */
  write(bytes: Uint8Array, done: () => void): void;
  resize(size: TerminalSize): void;
  size(): TerminalSize;
  /** From now on programs that ask get these; before that nothing. */
  show(colours: TerminalColours): void;
  /** The screen with what was written until now, and what is above it, as what a terminal would have to print to show them. */
  text(): Promise<string>;
  close(): void;
}

export interface ScreenDeps {
  readonly size: TerminalSize;
  /** An answer to a program. */
  readonly reply: (text: string) => void;
  readonly onTitle: (title: string) => void;
  /** The screen's content was given up; it is empty now. */
  readonly onLost: () => void;
}

export interface Screens {
  open(person: string, deps: ScreenDeps): Screen;
  /** How many run now. */
  threads(): number;
  close(): void;
}

export interface ScreensDeps {
  readonly clock: Clock;
  /** Screens of this person were lost. */
  readonly onLost: (person: string, why: string) => void;
  readonly threadsMax?: number;
}

export function createScreens({ clock, onLost, threadsMax = limits.terminalThreadsMax }: ScreensDeps): Screens {
  const people = new Map<string, PersonScreens>();
  const live = (): readonly PersonScreens[] => [...people.values()].filter((one) => one.isLive());
  /** At most so many threads stay: whose screens were drawn on longest ago gives way, unless something is printed there meanwhile. */
  const putAwayOver = (most: number): void => {
    const staying = live().filter((one) => !one.isLeaving());
    const oldest = staying.toSorted((left, right) => left.usedMs() - right.usedMs());
    for (const one of oldest.slice(0, Math.max(0, staying.length - most))) void one.putAway();
  };
  const makeRoom = (): void => putAwayOver(threadsMax - 1);
  const sweep = (): void => {
    const nowMs = clock.monotonicMs();
    for (const one of live()) if (nowMs - one.usedMs() > limits.terminalIdleMs) void one.putAway();
    putAwayOver(threadsMax);
    cancel = clock.at(nowMs + limits.terminalSweepMs, sweep);
  };
  let cancel = clock.at(clock.monotonicMs() + limits.terminalSweepMs, sweep);
  return {
    open: (person, deps) => {
      const mine = people.get(person) ?? new PersonScreens(clock, makeRoom, (why) => onLost(person, why));
      people.set(person, mine);
      return mine.open(deps, () => {
        if (mine.isEmpty()) people.delete(person);
      });
    },
    threads: () => live().length,
    close: () => {
      cancel();
      for (const one of people.values()) one.end();
      people.clear();
    },
  };
}

interface Kept {
  readonly deps: ScreenDeps;
  size: TerminalSize;
  colours: TerminalColours | null;
  /** While there is no thread. */
  text: string;
  /** Callbacks that wait for an answer of the thread, in the order of their requests. */
  readonly waiting: ((answer: ScreenAnswer | null) => void)[];
}

class PersonScreens {
  readonly #clock: Clock;
  readonly #makeRoom: () => void;
  readonly #onLost: (why: string) => void;
  readonly #kept = new Map<number, Kept>();
  #last = 0;
  #thread: Worker | null = null;
  #usedMs: number;
  #isLeaving = false;
  #cancelStuck: (() => void) | null = null;
  /** After a thread had to be ended none begins before this, in monotonic ms. */
  #restsUntilMs = 0;
  #restMs: number = limits.terminalThreadWaitMs;

  constructor(clock: Clock, makeRoom: () => void, onLost: (why: string) => void) {
    this.#clock = clock;
    this.#makeRoom = makeRoom;
    this.#onLost = onLost;
    this.#usedMs = clock.monotonicMs();
  }

  isLive(): boolean {
    return this.#thread !== null;
  }

  /** Its screens are being put away. */
  isLeaving(): boolean {
    return this.#isLeaving;
  }

  isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  usedMs(): number {
    return this.#usedMs;
  }

  open(deps: ScreenDeps, onClose: () => void): Screen {
    this.#last += 1;
    const id = this.#last;
    const kept: Kept = { deps, size: deps.size, colours: null, text: '', waiting: [] };
    this.#kept.set(id, kept);
    if (this.#thread !== null) this.#begin(id, kept);
    let isClosed = false;
    return {
      write: (bytes, done) => {
        // The thread gets bytes of its own: those of a pool would take all others with them.
        const isTaken = !isClosed && this.#draw(id, kept, { kind: 'write', bytes: new Uint8Array(bytes) }, done);
        if (!isTaken) setImmediate(done);
      },
      resize: (size) => {
        // Text that is kept is of the size before.
        if (kept.text !== '' || this.#thread !== null) this.#draw(id, kept, { kind: 'resize', size }, null);
        kept.size = size;
      },
      size: () => kept.size,
      show: (colours) => {
        kept.colours = colours;
        this.#send(id, { kind: 'show', colours });
      },
      text: () => this.#textOf(id, kept),
      close: () => {
        isClosed = true;
        void this.#close(id, kept, onClose);
      },
    };
  }

  /** Keeps what the screens show as text, and ends the thread, unless something is printed meanwhile. */
  async putAway(): Promise<void> {
    this.#isLeaving = true;
    const thread = this.#thread;
    const usedMs = this.#usedMs;
    const texts = [...this.#kept].map(async ([id, kept]) => [kept, await this.#textOf(id, kept)] as const);
    const all = await Promise.all(texts);
    this.#isLeaving = false;
    if (this.#thread !== thread || this.#usedMs !== usedMs) return;
    for (const [kept, text] of all) kept.text = text;
    this.end();
  }

  end(): void {
    const thread = this.#thread;
    this.#thread = null;
    this.#cancelStuck?.();
    this.#cancelStuck = null;
    void thread?.terminate();
    for (const { waiting } of this.#kept.values()) for (const answered of waiting.splice(0)) answered(null);
  }

  async #close(id: number, kept: Kept, onClose: () => void): Promise<void> {
    // Earlier requests for it are still answered.
    await this.#drawn(id, kept);
    this.#send(id, { kind: 'close' });
    this.#kept.delete(id);
    if (this.#kept.size === 0) this.end();
    onClose();
  }

  /** Resolves once the earlier requests to the screen are answered. */
  #drawn(id: number, kept: Kept): Promise<void> {
    if (this.#thread === null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wait(kept, () => resolve());
      this.#send(id, { kind: 'write', bytes: new Uint8Array() });
    });
  }

  /** False: there is no thread, and none is to be made now. `done` null: nothing answers. */
  #draw(id: number, kept: Kept, order: ScreenOrder, done: (() => void) | null): boolean {
    if (this.#thread === null && this.#clock.monotonicMs() < this.#restsUntilMs) return false;
    this.#usedMs = this.#clock.monotonicMs();
    if (this.#thread === null) this.#start();
    if (done !== null) this.#wait(kept, done);
    this.#send(id, order);
    return true;
  }

  #textOf(id: number, kept: Kept): Promise<string> {
    if (this.#thread === null) return Promise.resolve(kept.text);
    return new Promise((resolve) => {
      this.#wait(kept, (answer) => resolve(answer?.text ?? ''));
      this.#send(id, { kind: 'text' });
    });
  }

  #start(): void {
    this.#makeRoom();
    const thread = new Worker(new URL('./screen-thread.ts', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: limits.terminalThreadHeapMiBMax },
      stdin: false,
      stdout: true,
      stderr: true,
    });
    thread.unref();
    this.#thread = thread;
    const isOurs = (): boolean => this.#thread === thread;
    thread.on('message', (answer: ScreenAnswer) => isOurs() && this.#hear(answer));
    thread.on('error', (error) => isOurs() && this.#lose(error instanceof Error ? error.message : String(error)));
    thread.on('exit', (code) => isOurs() && this.#lose(`its thread ended (${code})`));
    for (const [id, kept] of this.#kept) this.#begin(id, kept);
  }

  #begin(id: number, kept: Kept): void {
    const { size, colours, text } = kept;
    kept.text = '';
    this.#wait(kept, () => undefined);
    this.#send(id, { kind: 'begin', size, colours, text });
  }

  #send(screen: number, order: ScreenOrder): void {
    this.#thread?.postMessage({ screen, order } satisfies ScreenRequest, order.kind === 'write' ? [order.bytes.buffer as ArrayBuffer] : []);
  }

  #wait(kept: Kept, answered: (answer: ScreenAnswer | null) => void): void {
    kept.waiting.push(answered);
    this.#cancelStuck ??= this.#stuckSoon();
  }

  #stuckSoon(): () => void {
    return this.#clock.at(this.#clock.monotonicMs() + limits.terminalStuckMsMax, () => this.#lose('nothing was drawn for 10 s'));
  }

  #hear(answer: ScreenAnswer): void {
    const kept = this.#kept.get(answer.screen);
    this.#cancelStuck?.();
    if (kept !== undefined) {
      kept.waiting.shift()?.(answer);
      if (answer.replies !== '') kept.deps.reply(answer.replies);
      if (answer.title !== null) kept.deps.onTitle(answer.title);
    }
    const isWaiting = [...this.#kept.values()].some(({ waiting }) => waiting.length > 0);
    this.#cancelStuck = isWaiting ? this.#stuckSoon() : null;
  }

  #lose(why: string): void {
    const nowMs = this.#clock.monotonicMs();
    // It went well for long: what happened before does not count.
    if (nowMs - this.#restsUntilMs > limits.terminalThreadWaitMsMax) this.#restMs = limits.terminalThreadWaitMs;
    this.#restsUntilMs = nowMs + this.#restMs;
    this.#restMs = Math.min(this.#restMs * 2, limits.terminalThreadWaitMsMax);
    this.end();
    for (const { deps } of this.#kept.values()) deps.onLost();
    this.#onLost(why);
  }
}
