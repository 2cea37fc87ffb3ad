import { start } from './start.ts';

await start('svc-app-publish', () => import('../svc-app-publish.ts'));
