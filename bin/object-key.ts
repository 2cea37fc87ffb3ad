/** The key of one object that a person named, with a hint where a bare name is that of an object. */
import { SvcError } from '../schema/errors.ts';
import { makeKey, objectKinds } from '../schema/keys.ts';
import type { ObjectView } from '../schema/wire/http.ts';
import type { Client } from './client.ts';
import { keyOf } from './keys.ts';

/** Rejects BAD_REQUEST for what can be no key. */
export async function keyIn(client: Client, text: string): Promise<string> {
  try {
    return keyOf(text);
  } catch (error) {
    if (!(error instanceof SvcError) || text.includes('/')) throw error;
    const found = await Promise.all(
      objectKinds.map(async (kind) => {
        const key = makeKey(kind, text);
        return (await objectOf(client, key)) === null ? [] : [key];
      }),
    );
    const named = found.flat();
    if (named.length === 0) throw error;
    throw new SvcError('BAD_REQUEST', `"${text}" names no object: did you mean ${named.join(' or ')}?`);
  }
}

/** Null when there is none: others may begin with the same name. */
export async function objectOf(client: Client, key: string): Promise<ObjectView | null> {
  const objects = await client.call('GET /api/admin/objects', { query: { prefix: key } });
  return objects.find((object) => object.key === key) ?? null;
}
