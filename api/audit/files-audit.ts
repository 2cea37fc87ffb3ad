/** Acts on files leave a line where they reach beyond the person's own home: folders of groups, shares, homes of others. */
import type { FastifyRequest } from 'fastify';
import type { Audit, AuditEntry } from '../../schema/audit.ts';
import type { FilesCommands } from '../../schema/files.ts';
import type { OnFiles } from './rows.ts';
import { limits } from './limits.ts';

export interface FilesAudit {
  answered(request: FastifyRequest, row: OnFiles, entry: Omit<AuditEntry, 'action'>): void;
}

export function createFilesAudit(audit: Audit, files: FilesCommands): FilesAudit {
  const homes = new Map<string, string>();
  /** Null: it could not be asked. A home does not move while the portal runs. */
  const homeOf = async (person: string, isAdmin: boolean): Promise<string | null> => {
    const known = homes.get(person);
    if (known !== undefined) return known;
    try {
      const { casa } = await (await files.of(person, isAdmin)).places();
      if (homes.size >= limits.homesMax) homes.clear();
      homes.set(person, casa);
      return casa;
    } catch {
      return null;
    }
  };
  return {
    answered: (request, row, entry) => {
      const { session } = request;
      // A path that was refused for another reason may lead nowhere, and be anything.
      if (session === null || (entry.result !== 'ok' && entry.code !== 'FILE_REFUSED')) return;
      const paths = pathsOf(request, row);
      const told = async (): Promise<void> => {
        const home = await homeOf(session.person, session.admin);
        const beyond = paths.filter((path) => home === null || !(path === home || path.startsWith(`${home}/`)));
        const [first] = beyond;
        if (first === undefined) return;
        const object = entry.result === 'ok' ? { object: `File/${first}` } : {};
        audit.record({ ...entry, action: row.files, ...object, ...(beyond.length > 1 ? { details: { items: beyond.length } } : {}) });
      };
      void told();
    },
  };
}

function pathsOf({ query, body }: FastifyRequest, { paths }: OnFiles): readonly string[] {
  const said = (paths === 'busca' ? query : body) as {
    readonly caminho?: unknown;
    readonly itens?: unknown;
    readonly destino?: unknown;
  } | null;
  // Without a leading slash it is a name in the own trash.
  return [said?.caminho, said?.itens, said?.destino]
    .flat()
    .filter((path): path is string => typeof path === 'string' && path.startsWith('/'));
}
