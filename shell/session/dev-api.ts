/** What `svc dev` says of the app that is being written. */
import type { DevAnswer } from '../../schema/wire/dev.ts';
import { json, request } from './api.ts';

export const readDev = async (): Promise<DevAnswer> => json(await request('GET', '/api/dev'));
