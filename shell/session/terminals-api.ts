/** Terminals, of the portal's HTTP API as the shell uses it. Source: schema/wire/terminals.ts. */
import type { TerminalOpenBody } from '../../schema/wire/terminals.ts';
import { call, send } from './api.ts';

export const listTerminals = () => call('GET /api/terminais');
export const openTerminal = (size: TerminalOpenBody) => call('POST /api/terminais', { body: size });
export const endTerminal = async (id: string): Promise<void> => void (await send('DELETE /api/terminais/:id', { params: { id } }));
export const terminalUrl = (id: string, usuario: string): string =>
  `${location.origin.replace(/^http/, 'ws')}/ws/terminais/${encodeURIComponent(id)}?pessoa=${encodeURIComponent(usuario)}`;
