import { expect, it } from 'vitest';
import { exportFileName } from '../src/sharing/exportFileName.js';

it.each([
  ['../../etc/passwd', 'etc-passwd.md'],
  ['', 'session.md'],
  ['...', 'session.md'],
  ['CON', 'session.md'],
  ['\u202egpj.exe', 'gpj-exe.md'],
  ['a\u0000b\nc', 'a-b-c.md'],
  ['日本語 – größe', '日本語-größe.md'],
  ['x'.repeat(5_000), `${'x'.repeat(80)}.md`],
])('names the file of %j safely', (title, name) => {
  expect(exportFileName(title, 'md')).toBe(name);
});
