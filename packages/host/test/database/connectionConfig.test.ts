import { describe, expect, it } from 'vitest';
import { hasPassword, withoutPassword } from '../../src/database/connectionConfig.js';

describe('the address of a database in a message', () => {
  it.each([
    ['postgres://u:hunter2@h:5432/d', 'postgres://u:…@h:5432/d'],
    ['postgres://:hunter2@h/d', 'postgres://:…@h/d'],
    ['postgres://u:hunter2@/d', 'postgres://u:…@/d'],
    // Characters that should have been encoded.
    ['postgres://u:a/hunter2@h/d', 'postgres://u:…@h/d'],
    ['postgres://u:1#hunter2@h/d', 'postgres://u:…@h/d'],
    ['postgres://u:a?hunter2@h/d', 'postgres://u:…@h/d'],
    ['postgres://u:a@hunter2@h/d', 'postgres://u:…@h/d'],
    ['postgres://u:a:hunter2@h/d', 'postgres://u:…@h/d'],
    ['postgres://u:a\nhunter2@h/d', 'postgres://u:…@h/d'],
    ['mysql://u:hunter2@h/d', 'mysql://u:…@h/d'],
    ['postgres://h/d?user=u&password=hunter2', 'postgres://h/d?user=u&password=…'],
    ['postgres://h/d?sslpassword=hunter2&x=1', 'postgres://h/d?sslpassword=…&x=1'],
  ])('is %j without the password', (address, shown) => {
    expect([withoutPassword(address), hasPassword(address)]).toEqual([shown, true]);
  });

  it.each(['postgres://u@h:5432/d', 'postgres://h:5432/d', 'postgres://?service=x', 'postgres:///d', '/a/folder'])(
    'stays %j, which has none',
    (address) => expect([withoutPassword(address), hasPassword(address)]).toEqual([address, false]),
  );
});
