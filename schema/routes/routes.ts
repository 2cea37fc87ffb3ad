/** Every route of the portal under /api that is in its OpenAPI document. */
import { adminRoutes } from './admin.ts';
import { adminAppRoutes } from './admin-apps.ts';
import { appRoutes } from './apps.ts';
import { executorRoutes } from './executor.ts';
import { fileRoutes } from './files.ts';
import { queueRoutes } from './queue.ts';
import { roomRoutes } from './rooms.ts';
import { settingsRoutes } from './settings.ts';
import { shopRoutes } from './shop.ts';
import { signInRoutes } from './sign-in.ts';
import { terminalRoutes } from './terminals.ts';

/** By the tables of docs/api.md. */
export const areas = {
  'sign-in': signInRoutes,
  apps: appRoutes,
  shop: shopRoutes,
  terminals: terminalRoutes,
  files: fileRoutes,
  rooms: roomRoutes,
  settings: settingsRoutes,
  queue: queueRoutes,
  executor: executorRoutes,
  admin: adminRoutes,
  'admin-apps': adminAppRoutes,
} as const;

export const routes = {
  ...signInRoutes,
  ...appRoutes,
  ...shopRoutes,
  ...terminalRoutes,
  ...fileRoutes,
  ...roomRoutes,
  ...settingsRoutes,
  ...queueRoutes,
  ...executorRoutes,
  ...adminRoutes,
  ...adminAppRoutes,
} as const;
