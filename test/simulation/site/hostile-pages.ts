/** Frames that no library of ours would send, over the socket that a page has open. */
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import type { Random } from '../random.ts';
import type { Page } from './pages.ts';
import type { RoomSite } from './rooms.ts';

const [sync, presence] = [0, 1];
const step2 = 1;

function send({ socket }: Page, write: (to: encoding.Encoder) => void): void {
  if (socket?.readyState === 1) socket.send(encoding.encode(write));
}

/** Words as the answer to a question of the portal: a role may forbid them however they come. */
export function answerWithWords({ site }: RoomSite, page: Page, random: Random): void {
  page.words += 1;
  const word = `<${page.name}w${page.words}>`;
  const doc = new Y.Doc();
  doc.getText('texto').insert(0, word);
  page.written.push({ word, atMs: site.world.clock.monotonicMs() });
  const kind = random.chance(0.7) ? step2 : 2;
  send(page, (to) => {
    encoding.writeVarUint(to, sync);
    encoding.writeVarUint(to, kind);
    encoding.writeVarUint8Array(to, Y.encodeStateAsUpdate(doc));
  });
}

/** As much presence as fits, under names of its own. */
export function flooded(page: Page): void {
  const ids = 4;
  const words = JSON.stringify({ seen: 'x'.repeat(15_000) });
  send(page, (to) => {
    encoding.writeVarUint(to, presence);
    const entries = encoding.createEncoder();
    encoding.writeVarUint(entries, ids);
    for (let n = 0; n < ids; n += 1) {
      encoding.writeVarUint(entries, page.floodId + n);
      encoding.writeVarUint(entries, (page.flooded += 1));
      encoding.writeVarString(entries, words);
    }
    encoding.writeVarUint8Array(to, encoding.toUint8Array(entries));
  });
}
