/** The rows `homes` and `supervisors` of `svc doctor`. */
import { expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { homesCheck, supervisorsCheck } from './homes-check.ts';

const person = (name: string, disk?: string, error: SvcError | null = null) => ({
  name,
  server: { reachability: { status: 'reachable' } },
  link: { view: () => ({ status: error === null ? 'up' : 'down', error, supervisor: disk === undefined ? {} : { disk } }) },
});

test('names the people whose home takes no more, and only these', () => {
  expect(homesCheck([person('ana'), person('eva', undefined, new SvcError('HOME_MISSING', 'x'))])).toMatchObject({ ok: true });
  expect(homesCheck([person('ana'), person('bea', "the home /home/bea can't be written: EDQUOT")])).toMatchObject({
    name: 'homes',
    ok: false,
    warning: false,
    detail: { en: "bea: the home /home/bea can't be written: EDQUOT" },
  });
});

test('names whose supervisor is needed and does not start, by the reason, in both languages', () => {
  const lost = new SvcError('HOME_MISSING', 'the home of ana does not exist');
  const people = [person('ana', undefined, lost), person('bea', undefined, lost), person('eva'), person('zoe', undefined, lost)];
  const away = { ...person('rui', undefined, lost), server: { reachability: { status: 'unreachable' } } };
  expect(supervisorsCheck([...people, away], (name) => name !== 'zoe')).toMatchObject({
    ok: false,
    detail: {
      pt: 'A pasta pessoal da conta não existe no servidor: ana, bea',
      en: 'The home of the account is not on the server: ana, bea',
    },
    fix: { en: expect.stringContaining('svc why Supervisor/ana') as string },
  });
  expect(supervisorsCheck([person('eva')], () => true)).toMatchObject({ name: 'supervisors', ok: true, fix: null });
});
