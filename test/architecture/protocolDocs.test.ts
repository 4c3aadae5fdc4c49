import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLOSE_CODE, ERROR_CODE, FILES_SUBPROTOCOL, SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX } from '@agenthost/protocol';
import { ACTION_INTRODUCED_IN, COMMAND_INTRODUCED_IN, NOTIFICATION_INTRODUCED_IN } from '@agenthost/protocol/internal';
import { describe, expect, it } from 'vitest';
import { actionDocs } from '../../packages/protocol/src/generate/actionDocs.js';
import { ROOT } from './workspace.js';

describe('docs/protocol.md', () => {
  const text = readFileSync(join(ROOT, 'docs/protocol.md'), 'utf8');

  it('has the table of actions that the schemas say; `npm run schemas` writes it', () => {
    expect(text).toContain(`\n${actionDocs()}\n`);
    const rows = actionDocs().split('\n').slice(2);
    expect(rows.map((row) => row.split('`')[1])).toEqual(Object.keys(ACTION_INTRODUCED_IN));
    expect(rows.filter((row) => row.endsWith('| |'))).toEqual([]);
  });

  const section = (title: string) => text.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

  it('says how to connect: every subprotocol and close code', () => {
    const said = [...section('Connecting').matchAll(/`(agenthost[^`<]*|\d{4})/g)].map(([, word]) => word);
    const codes = Object.values(CLOSE_CODE).map(String);
    expect(new Set(said)).toEqual(new Set([SUBPROTOCOL, FILES_SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX, ...codes]));
  });

  it('names every command, notification and error code', () => {
    const missing = [
      ...Object.keys(COMMAND_INTRODUCED_IN).filter((name) => !section('Commands').includes(`\`${name}\``)),
      ...Object.keys(NOTIFICATION_INTRODUCED_IN).filter((name) => !section('Notifications').includes(name)),
      ...Object.entries(ERROR_CODE)
        .filter(([name, code]) => !section('Errors').includes(`| ${code} | ${name}`))
        .map(([name]) => name),
    ];
    expect(missing).toEqual([]);
  });
});
