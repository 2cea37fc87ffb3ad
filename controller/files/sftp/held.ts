/**
 * Folders that are held over SFTP. Our own server does it (`hold@svc`). OpenSSH's knows no openat, but its process has the open folder as `/proc/self/fd/N`: N is counted
 * (descriptors.ts), and the kernel's word for what that is, is compared with the folder above and the name: a link that was followed leads elsewhere. Where
 * there is no /proc, paths stay paths. Decision: docs/decisions/0371-folders-are-held.md
 */
import { FileFault, isFault } from '../file-fault.ts';
import { joined, nameOf, parentOf, type HeldFolder } from '../file-system.ts';
import { attributesIn, handleIn, nameIn, packetIn, pathField } from './answers.ts';
import type { SftpClient } from './client.ts';
import { limits } from '../limits.ts';
import { extensionsOfOurs } from './extensions.ts';
import { readNames } from './names.ts';
import { badPacket, lengthened, noAttributes, openFlags, types, u32, u8 } from './packets.ts';

const folderOfDescriptors = Buffer.from('/proc/self/fd');
const pathOf = (descriptor: number): Buffer => Buffer.from(`/proc/self/fd/${descriptor}`);

/** Before anything else is opened on the line. */
export async function readDescriptors(line: SftpClient): Promise<void> {
  const handle = handleIn(await line.ask(types.opendir, [pathField(folderOfDescriptors)]));
  const found: number[] = [];
  let names = 0;
  for await (const entries of readNames(line, handle)) {
    names += entries.length;
    if (names > limits.sftpDescriptorsMax) throw badPacket(`more than ${limits.sftpDescriptorsMax} open files at the begin`);
    for (const { name } of entries) if (/^\d{1,6}$/.test(name.toString('latin1'))) found.push(Number(name.toString('latin1')));
  }
  // The descriptor of this listing is among them.
  const targets = await Promise.all(found.map((descriptor) => targetOf(line, pathOf(descriptor))));
  await line.ask(types.close, [handle]);
  const open = found.filter((_, n) => !/^\/proc\/\d+\/fd$/.test(targets[n]?.toString('latin1') ?? ''));
  if (open.length === found.length - 1) line.descriptors.begin(open);
}

/** Null: it is gone. */
async function targetOf(line: SftpClient, path: Buffer): Promise<Buffer | null> {
  return await line.ask(types.readlink, [pathField(path)]).then(nameIn, (error: unknown) => {
    if (isFault(error)) return null;
    throw error;
  });
}

/** A folder above may be renamed between the two reads. */
const looksMax = 3;

/** Throws EXCHANGED unless what is open is the very name in the held folder. Nothing to say on a server without descriptors. */
export async function refuseExchanged(line: SftpClient, handle: Buffer, path: Buffer): Promise<void> {
  const descriptor = line.descriptors.of(handle.subarray(4));
  if (descriptor === null) return;
  for (let look = 1; look <= looksMax; look += 1) {
    const [opened, folder] = await Promise.all([targetOf(line, pathOf(descriptor)), targetOf(line, parentOf(path))]);
    if (opened !== null && folder !== null && opened.equals(joined(folder, nameOf(path)))) return;
  }
  throw new FileFault('EXCHANGED');
}

export async function holdOver(line: SftpClient, path: Buffer, link: 'follow' | 'refuse'): Promise<HeldFolder> {
  if (line.extensions.has(extensionsOfOurs.hold)) return await holdByOurs(line, path, link);
  const asked = await line.ask(types.open, [pathField(path), u32(openFlags.read), noAttributes]);
  const handle = handleIn(asked);
  const close = async (): Promise<void> => void (await line.ask(types.close, [handle]));
  try {
    if (attributesIn(await line.ask(types.fstat, [handle])).kind !== 'folder')
      throw new FileFault(link === 'refuse' ? 'EXCHANGED' : 'ENOTDIR');
    const descriptor = line.descriptors.of(handle.subarray(4));
    if (link === 'refuse') await (descriptor === null ? refuseLink(line, path) : refuseExchanged(line, handle, path));
    return { path: descriptor === null ? path : pathOf(descriptor), close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

async function refuseLink(line: SftpClient, path: Buffer): Promise<void> {
  if (attributesIn(await line.ask(types.lstat, [pathField(path)])).kind !== 'folder') throw new FileFault('EXCHANGED');
}

async function holdByOurs(line: SftpClient, path: Buffer, link: 'follow' | 'refuse'): Promise<HeldFolder> {
  const fields = packetIn(
    await line.extended(extensionsOfOurs.hold, [pathField(path), u8(link === 'follow' ? 1 : 0)]),
    types.extendedReply,
  );
  const handle = lengthened(Buffer.from(fields.bytes()));
  return { path: Buffer.from(fields.bytes()), close: async () => void (await line.ask(types.close, [handle])) };
}

/** Resolves the folder of a path in a held one by the kernel's name; null: it is none. */
export async function placeOf(line: SftpClient, path: Buffer): Promise<{ readonly folder: Buffer; readonly name: Buffer } | null> {
  const above = parentOf(path);
  const folder = /^\/proc\/self\/fd\/\d+$/.test(above.toString('latin1')) ? await targetOf(line, above) : above;
  return folder === null ? null : { folder, name: nameOf(path) };
}
