/** Terminals, of the portal's HTTP API as the shell uses it. Source: schema/wire/terminals.ts. */
import type { TerminalOpenBody, TerminalsAnswer, TerminalView } from '../../schema/wire/terminals.ts';
import { json, request } from './api.ts';

export const listTerminals = async (): Promise<TerminalsAnswer> => json(await request('GET', '/api/terminais'));
export const openTerminal = async (size: TerminalOpenBody): Promise<TerminalView> => json(await request('POST', '/api/terminais', size));
export const endTerminal = async (id: string): Promise<void> => {
  await request('DELETE', `/api/terminais/${encodeURIComponent(id)}`);
};
export const terminalUrl = (id: string, usuario: string): string =>
  `${location.origin.replace(/^http/, 'ws')}/ws/terminais/${encodeURIComponent(id)}?pessoa=${encodeURIComponent(usuario)}`;
