/** Changes of the file that Administration writes: shown first, then written. Decision: docs/decisions/0345-the-desktop-writes-one-file.md */
import type { FastifyInstance } from 'fastify';
import type { OwnChange } from '../../schema/desired/own-changes.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AdminCommands } from '../../schema/gateway.ts';
import type { OwnDraftBody } from '../../schema/wire/own-file.ts';
import { serve } from '../http/serve.ts';

interface OwnFileDeps {
  readonly commands: Pick<AdminCommands, 'ownFile' | 'draftOwn' | 'writeOwn'>;
}

export function addOwnFileRoutes(app: FastifyInstance, { commands }: OwnFileDeps): void {
  serve(app, 'GET /api/admin/desired', () => commands.ownFile());
  serve(app, 'POST /api/admin/desired/draft', ({ body }) => commands.draftOwn(changeIn(body)));
  serve(app, 'POST /api/admin/desired', ({ body }) => commands.writeOwn(changeIn(body), body.digest));
}

/** Rejects BAD_REQUEST for fields that do not belong to the act and the kind. */
function changeIn({ act, kind, name, person, package: app }: OwnDraftBody): OwnChange {
  const expected = act === 'remove' ? null : kind === 'Person' ? 'person' : 'package';
  for (const [field, value] of Object.entries({ person, package: app }))
    if ((value !== undefined) !== (field === expected))
      throw new SvcError(
        'BAD_REQUEST',
        `${field}: expected ${field === expected ? `with "${act}" of a ${kind}` : `only with "put" of ${field === 'person' ? 'a Person' : 'a Package'}`}`,
      );
  if (person !== undefined) return { act: 'put', kind: 'Person', name, spec: person };
  if (app === undefined) return { act: 'remove', kind, name };
  const { everywhere = false, servers = [], ...spec } = app;
  if (everywhere === servers.length > 0) throw new SvcError('BAD_REQUEST', 'package: expected either "servers" or "everywhere": true');
  return { act: 'put', kind: 'Package', name, spec: { ...spec, servers: everywhere ? 'all' : servers } };
}
