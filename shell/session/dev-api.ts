/** State that `svc dev` reports about the app under development. */
import { call } from './api.ts';

export const readDev = () => call('GET /api/dev');
