/** The table of attacks. To add one: a row in one of these files, or in one more of them. */
import type { Attack } from '../attack.ts';
import { fileAttacks } from './files.ts';
import { mixedAttacks } from './mixed.ts';
import { requestAttacks } from './requests.ts';
import { serverAttacks } from './server.ts';
import { socketAttacks } from './sockets.ts';
import { terminalAttacks } from './terminals.ts';

export const attacks: readonly Attack[] = [
  ...requestAttacks,
  ...fileAttacks,
  ...socketAttacks,
  ...serverAttacks,
  ...terminalAttacks,
  ...mixedAttacks,
];
