/** Files of the people of the portal: a service for each, as their account, on their server. */
import type { FilesCommands, PersonFiles } from '../../schema/files.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PersonEntry } from '../entries.ts';
import { createListings } from '../files/listing.ts';
import { createFileService } from '../files/service.ts';
import type { FileSystem } from '../files/file-system.ts';
import { isRoot } from '../hosts/own-account.ts';
import type { Context } from '../context.ts';

interface Kept {
  readonly fs: FileSystem;
  readonly home: string;
  readonly service: PersonFiles;
}

export function filesCommands({ entries, options: { clock } }: Context): FilesCommands {
  const listings = createListings(clock);
  const kept = new WeakMap<PersonEntry, Kept>();
  return {
    of: async (usuario, isAdmin) => {
      const person = entries.people.get(usuario);
      if (person === undefined || person.leaving) throw new SvcError('NOT_FOUND', 'there is no such person');
      const { account, server } = person;
      await refuseRoot(person, isAdmin);
      const fs = await server.host.files(account);
      const { home } = await server.host.place(account);
      const known = kept.get(person);
      if (known !== undefined && known.fs === fs && known.home === home) return known.service;
      const service = createFileService({ fs, person: usuario, account, home: Buffer.from(home), listings, clock });
      kept.set(person, { fs, home, service });
      return service;
    },
  };
}

/** Decision: docs/decisions/0219-files-of-a-person.md */
async function refuseRoot({ account, server }: PersonEntry, isAdmin: boolean): Promise<void> {
  if (isAdmin || !isRoot()) return;
  const why = await server.host.asPortal(account);
  if (why !== null) throw new SvcError('NO_OWN_ACCOUNT', `the files would be those of root: ${why.en}`);
}
