import type { Group } from '../world.ts';
import { accountGroup } from './accounts.ts';
import { appGroups } from './apps.ts';
import { commandGroup } from './commands.ts';
import { documentGroup } from './documents.ts';
import { jobGroup } from './jobs.ts';
import { packageGroup } from './packages.ts';
import { serverGroup } from './servers.ts';

export const groups: readonly Group[] = [accountGroup, serverGroup, packageGroup, documentGroup, commandGroup, ...appGroups, jobGroup];
