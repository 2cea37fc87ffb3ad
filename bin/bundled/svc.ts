import { start } from './start.ts';

await start('svc', () => import('../svc.ts'));
