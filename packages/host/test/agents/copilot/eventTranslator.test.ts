import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/agents/agent.js';
import { EventTranslator } from '../../../src/agents/copilot/eventTranslator.js';
import { sdkDecision } from '../../../src/agents/copilot/permissionDisplay.js';
import type { SdkEvent } from '../../../src/agents/copilot/sdk.js';
import * as recorded from './recordedEvents.js';

function translated() {
  const events: AgentEvent[] = [];
  const translator = new EventTranslator((event) => events.push(event));
  const pass = (...sdkEvents: readonly SdkEvent[]) => {
    for (const event of sdkEvents) translator.translate(event);
    return events.splice(0);
  };
  return { translator, events, pass };
}

describe("translation of Copilot's events", () => {
  it('text and reasoning as they stream, and not again when the message is complete', () => {
    const { pass } = translated();
    expect(pass(...recorded.answer)).toEqual([
      { type: 'reasoning', text: 'Let me think.' },
      { type: 'text', text: 'Hello, ' },
      { type: 'text', text: 'world!' },
      {
        type: 'usage',
        usage: {
          inputTokens: 10,
          outputTokens: 5,
          cacheReadTokens: 0,
          cost: 0,
          model: 'm',
          contextUsed: 7_262,
          contextSize: 128_000,
        },
      },
    ]);
  });

  it('a message that was not streamed', () => {
    const { pass } = translated();
    expect(pass(recorded.message('m2', 'All at once.', 'Thought.'))).toEqual([
      { type: 'reasoning', text: 'Thought.' },
      { type: 'text', text: 'All at once.' },
    ]);
  });

  it('usage of all calls of the turn together', () => {
    const { pass } = translated();
    const usages = pass(recorded.usage, recorded.usage).map((event) => event.type === 'usage' && event.usage);
    expect(usages.at(-1)).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  it.each([
    [
      { kind: 'write', fileName: '/w/a.txt', diff: '--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n' },
      { language: 'diff', toolInput: expect.stringContaining('-one\n+two') },
      'Change this file?',
    ],
    [
      { kind: 'write', fileName: '/w/a.txt', newFileContents: 'all of it' },
      { toolInput: '/w/a.txt\n\nall of it' },
      'Change this file?',
    ],
    [{ kind: 'write', fileName: '/w/a.txt' }, {}, 'Change this file? Copilot does not show the change.'],
    [
      { kind: 'mcp', serverName: 'git', toolName: 'push', args: { force: true } },
      { language: 'json', toolInput: '{\n  "force": true\n}' },
      'Use the tool push of the MCP server git?',
    ],
  ])('a question shows what is approved: %o', (request, shown, title) => {
    const { translator, events, pass } = translated();
    pass(recorded.toolStart);
    translator.ask({ requestId: 'r', permissionRequest: { ...request, toolCallId: 'call-1' } });
    expect(events.splice(0)).toMatchObject([{ type: 'toolStart', toolCall: { ...shown, confirmation: { title } } }]);
    // Without a call it is a question of its own.
    translator.ask({ requestId: 'r2', permissionRequest: request });
    const [asked] = events.splice(0);
    if (asked?.type !== 'permissionRequest') throw new Error('nothing was asked');
    for (const word of ['two', 'all of it', 'force']) {
      expect(asked.request.message.includes(word)).toBe(JSON.stringify(request).includes(word));
    }
  });

  it('a call that asks is announced once, as waiting', () => {
    const { translator, events, pass } = translated();
    expect(pass(recorded.toolStart)).toEqual([]);
    expect(translator.idOf(recorded.permission)).toBe('call-1');
    translator.ask(recorded.permission);
    expect(events.splice(0)).toEqual([
      {
        type: 'toolStart',
        toolCall: expect.objectContaining({
          toolCallId: 'call-1',
          status: 'pendingConfirmation',
          toolInput: 'echo hi',
          confirmation: {
            title: 'Run this command?',
            options: [
              { id: 'once', label: 'Allow once', kind: 'approve' },
              {
                id: 'session',
                label: 'Always allow `echo hi` in this session',
                kind: 'approve',
                explicit: true,
                covers: '`echo hi`',
              },
              { id: 'deny', label: 'Deny', kind: 'deny' },
            ],
          },
        }),
      },
    ]);
    expect(pass(...recorded.output, recorded.toolComplete)).toEqual([
      { type: 'toolUpdate', toolCallId: 'call-1', output: 'hi\n' },
      { type: 'toolUpdate', toolCallId: 'call-1', output: 'there\n' },
      { type: 'toolComplete', toolCallId: 'call-1', result: expect.objectContaining({ success: true, exitCode: 0 }) },
    ]);
  });

  it('images, audio and files of results: as returned by the tool, else as shown to the model', () => {
    const contentsOf = (result: object, ...before: readonly SdkEvent[]) => {
      const { pass } = translated();
      const complete = { type: 'tool.execution_complete', data: { toolCallId: 'call-1', success: true, result } };
      const last = pass(recorded.toolStart, ...before, complete).at(-1);
      return last?.type === 'toolComplete' ? last.contents : undefined;
    };
    const shown = [{ type: 'image', data: 'QQ==', mimeType: 'image/png' }];
    const contents = [
      { type: 'text', text: 'x' },
      { type: 'image', data: 'Qg==', mimeType: 'image/gif' },
      { type: 'audio', data: 'Qw==' },
      { type: 'resource', resource: { uri: 'x:y', blob: 'RA==', mimeType: 'application/pdf' } },
      { type: 'resource', resource: { uri: 'x:z', text: 'words' } },
      { type: 'image' },
    ];
    expect(contentsOf({ content: '', contents, binaryResultsForLlm: shown })).toEqual([
      { data: 'Qg==', mimeType: 'image/gif' },
      { data: 'Qw==', mimeType: 'audio' },
      { data: 'RA==', mimeType: 'application/pdf' },
    ]);
    const asset = { type: 'session.binary_asset', data: { assetId: 'a', data: 'RQ==', mimeType: 'image/webp' } };
    const references = [
      { type: 'image', assetId: 'a', byteLength: 1, mimeType: 'image/webp' },
      { type: 'image', assetId: 'unknown', byteLength: 1, mimeType: 'image/png' },
      { type: 'image', omittedReason: 'too_large', byteLength: 9, mimeType: 'image/png' },
    ];
    expect(contentsOf({ content: '', binaryResultsForLlm: [...shown, ...references] }, asset)).toEqual([
      { data: 'QQ==', mimeType: 'image/png' },
      { data: 'RQ==', mimeType: 'image/webp' },
      { mimeType: 'image/png' },
      { mimeType: 'image/png' },
    ]);
    expect(contentsOf({ content: 'nothing else' })).toBeUndefined();
  });

  it('a call without a question is announced with its first event, or after a delay', () => {
    const silent = translated();
    silent.pass(recorded.toolStart);
    silent.translator.release();
    silent.translator.release();
    expect(silent.events).toMatchObject([{ type: 'toolStart', toolCall: { status: 'running' } }]);
    const quick = translated();
    expect(quick.pass(recorded.toolStart, recorded.toolComplete).map(({ type }) => type)).toEqual([
      'toolStart',
      'toolComplete',
    ]);
  });

  it('nothing is reported of a call after its denial', () => {
    const { translator, events, pass } = translated();
    pass(recorded.toolStart);
    translator.ask(recorded.permission);
    translator.deny('call-1');
    events.length = 0;
    expect(pass(...recorded.output, recorded.toolComplete)).toEqual([]);
  });

  it('a second question about a call, and one without a call, are separate questions', () => {
    const { translator, events, pass } = translated();
    pass(recorded.toolStart);
    translator.ask(recorded.permission);
    events.length = 0;
    expect(translator.idOf(recorded.permission)).toBe('request-1');
    translator.ask(recorded.permission);
    translator.ask(recorded.urlPermission);
    expect(events).toMatchObject([
      { type: 'permissionRequest', request: { requestId: 'request-1', message: 'echo hi', toolCallId: 'call-1' } },
      { type: 'permissionRequest', request: { requestId: 'request-2', message: 'https://example.com/x' } },
    ]);
  });

  it("a sub-agent's text is dropped; its start and end are activity, its calls are calls", () => {
    const { pass } = translated();
    expect(pass(...recorded.subAgent).map((event) => [event.type, 'activity' in event ? event.activity : ''])).toEqual([
      ['activity', 'Sub-agent looker: look around'],
      ['toolStart', ''],
      ['toolComplete', ''],
      ['activity', ''],
    ]);
  });

  it('unknown events are ignored', () => {
    const { pass } = translated();
    expect(pass({ type: 'session.something_new', data: null }, { type: 'hook.start', data: { a: 1 } })).toEqual([]);
  });
});

describe('the meaning of an answer for Copilot', () => {
  const { permissionRequest: shell } = recorded.permission;
  it.each([
    ['allowed once', shell, { approved: true, optionId: 'once' }, { kind: 'approve-once' }],
    ['allowed by a client that knows no options', shell, { approved: true }, { kind: 'approve-once' }],
    [
      'allowed for the session',
      shell,
      { approved: true, optionId: 'session' },
      { kind: 'approve-for-session', approval: { kind: 'commands', commandIdentifiers: ['echo hi'] } },
    ],
    [
      'an address for the session',
      recorded.urlPermission.permissionRequest,
      { approved: true, optionId: 'session' },
      { kind: 'approve-for-session', domain: 'example.com' },
    ],
    ['denied', shell, { approved: false }, { kind: 'reject' }],
    ['denied by the option', shell, { approved: true, optionId: 'deny' }, { kind: 'reject' }],
    ['denied with a reason', shell, { approved: false, reason: 'no' }, { kind: 'reject', feedback: 'no' }],
    [
      'for the session where a policy wants to be asked each time',
      { ...shell, managedApprovalRequired: true },
      { approved: true, optionId: 'session' },
      { kind: 'approve-once' },
    ],
    [
      'for the session what it has no such thing for',
      { kind: 'something-new' },
      { approved: true, optionId: 'session' },
      { kind: 'approve-once' },
    ],
  ] as const)('%s', (_, request, decision, expected) => {
    expect(sdkDecision(request, decision)).toEqual(expected);
  });
});
