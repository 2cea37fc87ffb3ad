import { expect, test } from 'vitest';
import type { SettingsAnswer } from '../../schema/wire/settings.ts';
import { createSettingsModel, isSectionShown, type SettingsPortal } from './model.ts';

const answer: SettingsAnswer = { servidor: 'casa', apps: [], passkeys: false };
const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));

function counted(read: () => Promise<SettingsAnswer> = async () => answer) {
  const seen = { reads: 0 };
  const portal: SettingsPortal = {
    read: async () => {
      seen.reads += 1;
      return await read();
    },
    consents: async () => [],
  };
  return { seen, model: createSettingsModel(portal) };
}

const section = (optIn: boolean) => ({ endereco: '/s.js', permitida: true, optIn });
test.for([
  ['none', null, [], false],
  ['one that is always there', section(false), [], true],
  ['one that was not turned on', section(true), ['other'], false],
  ['one that was turned on', section(true), ['app'], true],
] as const)('the section of an app, %s', ([, secao, on, shown]) => {
  expect(isSectionShown({ id: 'app', secao }, on)).toBe(shown);
});

test('nothing is read while no window of Settings is open', async () => {
  const { seen, model } = counted();
  model.refresh();
  model.apply({ type: 'consentimentos' });
  await settled();
  expect([seen.reads, model.state.get().answer]).toEqual([0, null]);
  const end = model.watch();
  await settled();
  expect([seen.reads, model.state.get().answer]).toEqual([1, answer]);
  end();
  model.apply({ type: 'apps-changed' });
  await settled();
  expect(seen.reads).toBe(1);
});

test('what changes while it is read is read once more, however often it changed', async () => {
  const held = Promise.withResolvers<SettingsAnswer>();
  const { seen, model } = counted(() => (seen.reads === 1 ? held.promise : Promise.resolve(answer)));
  model.watch();
  for (let times = 0; times < 5; times += 1) model.apply({ type: 'consentimentos' });
  model.apply({ type: 'preferencias', etag: '"1"' });
  expect(seen.reads).toBe(1);
  held.resolve(answer);
  await settled();
  expect(seen.reads).toBe(2);
});

test('a portal that does not answer is a problem that is told, until it answers', async () => {
  let isDown = true;
  const { model } = counted(async () => {
    if (isDown) throw new Error('away');
    return answer;
  });
  model.watch();
  await settled();
  expect([model.state.get().answer, typeof model.state.get().problem]).toEqual([null, 'string']);
  isDown = false;
  model.refresh();
  await settled();
  expect(model.state.get()).toEqual({ answer, consents: [], problem: null });
});
