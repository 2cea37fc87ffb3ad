/** The thread with the screens of one person: emulators work on bytes of programs, so they are where they can be ended (screens.ts). */
import { parentPort } from 'node:worker_threads';
import { constants, getPriority, setPriority } from 'node:os';
import type { TerminalSize } from '../../schema/terminals.ts';
import type { TerminalColours } from '../../schema/wire/terminals.ts';
import { createEmulator, type Emulator } from './emulator.ts';
import { limits } from './limits.ts';

/** `text`: what the screen shows at first. */
export interface ScreenBegin {
  readonly kind: 'begin';
  readonly size: TerminalSize;
  readonly colours: TerminalColours | null;
  readonly text: string;
}

export type ScreenOrder =
  | ScreenBegin
  | { readonly kind: 'write'; readonly bytes: Uint8Array }
  | { readonly kind: 'text' }
  | { readonly kind: 'resize'; readonly size: TerminalSize }
  | { readonly kind: 'show'; readonly colours: TerminalColours }
  | { readonly kind: 'close' };

/** The orders of one screen are carried out in their order. */
export interface ScreenRequest {
  readonly screen: number;
  readonly order: ScreenOrder;
}

/** To `begin`, `write` and `text`, one each. `replies`: to programs; `title`: when it changed; `text`: the screen. */
export interface ScreenAnswer {
  readonly screen: number;
  readonly replies: string;
  readonly title: string | null;
  readonly text: string | null;
}

interface Kept {
  readonly emulator: Emulator;
  replies: string;
  title: string | null;
}

const screens = new Map<number, Kept>();

function begin(screen: number, { size, colours, text }: ScreenBegin): void {
  const kept: Kept = {
    // Replies to programs that do not read them are dropped beyond the bound.
    emulator: createEmulator({
      size,
      reply: (reply) => {
        if (kept.replies.length + reply.length <= limits.terminalReplyBytesMax) kept.replies += reply;
      },
      onTitle: (title) => {
        kept.title = title;
      },
    }),
    replies: '',
    title: null,
  };
  kept.emulator.show(colours);
  screens.set(screen, kept);
  // Its replies to its own text were sent when that was printed first.
  kept.emulator.write(text, () => {
    kept.replies = '';
    kept.title = null;
    answer(screen, kept, null);
  });
}

function answer(screen: number, kept: Kept, text: string | null): void {
  const { replies, title } = kept;
  kept.replies = '';
  kept.title = null;
  parentPort?.postMessage({ screen, replies, title, text } satisfies ScreenAnswer, []);
}

function carryOut({ screen, order }: ScreenRequest): void {
  if (order.kind === 'begin') return begin(screen, order);
  const kept = screens.get(screen);
  if (kept === undefined) return;
  const { emulator } = kept;
  if (order.kind === 'write') emulator.write(order.bytes, () => answer(screen, kept, null));
  // After what was given before it.
  else if (order.kind === 'text') emulator.write('', () => answer(screen, kept, emulator.text()));
  else if (order.kind === 'resize') emulator.write('', () => emulator.resize(order.size));
  else if (order.kind === 'show') emulator.show(order.colours);
  else {
    screens.delete(screen);
    emulator.close();
  }
}

// This thread only, on Linux: pages and apps of everybody go first.
setPriority(0, Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
parentPort?.on('message', carryOut);
