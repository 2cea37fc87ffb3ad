import { expect, test } from 'vitest';
import { printPage } from './print-page.ts';

test('the name of a PDF is text in its print page, whatever it holds', () => {
  const page = printPage('</title><script>alert(1)</script>"&.pdf', 'http://svc.localhost:8787');
  expect(page).toContain('<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page.match(/<script>/g)).toHaveLength(1);
});
