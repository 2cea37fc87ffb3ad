import { start } from './start.ts';

await start('publicar-motor', () => import('../publicar-motor.ts'));
