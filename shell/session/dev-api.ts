/** State that `svc dev` reports about the app under development. */
import type { DevAnswer } from '../../schema/wire/dev.ts';
import { json, request } from './api.ts';

export const readDev = async (): Promise<DevAnswer> => json(await request('GET', '/api/dev'));
