/** A person's login shell, by the host of their server. */
import { SvcError } from '../../schema/errors.ts';
import type { PeopleCommands } from '../../schema/gateway.ts';
import { drainMessage } from '../../reconcilers/backend-orders.ts';
import type { Entries } from '../entries.ts';

export function terminalCommands(entries: Pick<Entries, 'people'>): Pick<PeopleCommands, 'openShell'> {
  return {
    openShell: async (usuario, size, isAdmin, folder) => {
      const person = entries.people.get(usuario);
      if (!person || person.leaving) throw new SvcError('NOT_FOUND', `no person ${usuario}`);
      const { host, drain } = person.server;
      if (drain !== null) throw new SvcError('SERVER_DRAINED', `${drainMessage(drain)}, no terminal either`);
      const why = await host.asPortal(person.account);
      if (why !== null && !isAdmin) {
        throw new SvcError('TERMINAL_AS_PORTAL', `a terminal would be the account of the portal: ${why.en}; administrators only`);
      }
      const shell = await host.shell(person.account, size, folder);
      return why === null ? shell : { ...shell, asPortal: true };
    },
  };
}
