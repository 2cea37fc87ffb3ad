import { SvcError } from '../../../schema/errors.ts';

export const isCode = (error: unknown, code: SvcError['code']): error is SvcError => error instanceof SvcError && error.code === code;
