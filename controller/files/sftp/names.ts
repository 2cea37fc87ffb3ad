/** The names in an open folder, as a server says them. It may be one that an account put in the place of sshd's. */
import type { FileEntry } from '../file-system.ts';
import { limits } from '../limits.ts';
import { packetIn } from './answers.ts';
import type { Reply, SftpClient } from './client.ts';
import { badPacket, types } from './packets.ts';

/** Questions for names under way: the server answers about a hundred at once. */
const readdirsAhead = 8;

/** Without `.` and `..`. Ends by itself only where the folder does: who reads it bounds what they keep. */
export async function* readNames(line: SftpClient, handle: Buffer): AsyncGenerator<readonly FileEntry[]> {
  const ahead: Promise<Reply>[] = [];
  for (let empty = 0; empty <= limits.sftpEmptyAnswersMax;) {
    while (ahead.length < readdirsAhead) {
      const asked = line.ask(types.readdir, [handle]);
      asked.catch(() => undefined);
      ahead.push(asked);
    }
    const reply = await (ahead.shift() as Promise<Reply>);
    if (reply.kind === 'end') return;
    const names = namesIn(reply);
    empty = names.length === 0 ? empty + 1 : 0;
    yield names;
  }
  throw badPacket('answers without a name');
}

function namesIn(reply: Reply): readonly FileEntry[] {
  const fields = packetIn(reply, types.name);
  const count = fields.u32();
  if (count > limits.sftpNamesMax) throw badPacket(`${count} names at once`);
  const found: FileEntry[] = [];
  for (let n = 0; n < count; n += 1) {
    const name = fields.bytes();
    // Skips the text of `ls -l`.
    fields.bytes();
    const facts = fields.attributes();
    const isDots = name[0] === 0x2e && (name.length === 1 || (name.length === 2 && name[1] === 0x2e));
    // A server that says such a name would lead elsewhere.
    if (name.length === 0 || name.length > limits.nameBytesMax || name.includes(0) || name.includes(0x2f))
      throw badPacket('a name that no file has');
    if (!isDots) found.push({ name: Buffer.from(name), ...facts });
  }
  return found;
}
