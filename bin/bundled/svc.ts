import { start } from './start.ts';

await start('svc-main', () => import('../svc-main.ts'));
