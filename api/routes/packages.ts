/** `/api/admin/pacotes` and `/api/admin/packages/rollback`: packages and engines of every server, for the admin panel and `svc rollback`. */
import type { FastifyInstance } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { AdminCommands, AdminView } from '../../schema/gateway.ts';
import { serve } from '../http/serve.ts';

interface PackageRouteDeps {
  readonly admin: Pick<AdminView, 'packages'>;
  readonly commands: Pick<AdminCommands, 'rollBack' | 'undoRollBack'>;
}

export function addPackageRoutes(app: FastifyInstance, { admin, commands }: PackageRouteDeps): void {
  serve(app, 'GET /api/admin/pacotes', () => admin.packages());
  serve(app, 'POST /api/admin/packages/rollback', async (request) => await commands.rollBack(request.body.key));
  // The key may stand in the body as above, or in the query: some clients send no body with DELETE.
  serve(app, 'DELETE /api/admin/packages/rollback', async (request) => {
    const key = request.body?.key ?? request.query.key;
    if (key === undefined) throw new SvcError('BAD_REQUEST', 'key: expected the key of a package, such as Package/notas-casa');
    return await commands.undoRollBack(key);
  });
}
