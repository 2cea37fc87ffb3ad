import { startSvc } from './start.ts';

await startSvc(() => import('../svc-main.ts'));
