import {
  createSessionState,
  MAX_FRAME_BYTES,
  type SessionAction,
  type SessionState,
  sessionReducer,
  type ToolCallStart,
} from '@agenthost/protocol';
import { INLINE_CONTENT_LIMIT, MAX_TITLE_LENGTH } from '@agenthost/protocol/internal';
import { SCHEMAS } from '@agenthost/protocol/schemas';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../../test/support/holds.js';
import type { AgentEvent } from '../../../src/agents/agent.js';
import type { AgentAction } from '../../../src/agents/events/agentAction.js';
import { AgentEventMapper, type AgentEventMapperOptions } from '../../../src/agents/events/agentEventMapper.js';

const session = 'mock:/s1';

function setUp(options: Partial<AgentEventMapperOptions> = {}) {
  const dropped: string[] = [];
  let ids = 0;
  const mapper = new AgentEventMapper({
    turnId: 't1',
    newId: () => `new-${++ids}`,
    onDropped: (event, reason) => dropped.push(`${event.type}: ${reason}`),
    ...options,
  });
  const map = (...events: AgentEvent[]) => events.flatMap((event) => mapper.map(event).actions);
  return { mapper, map, dropped };
}

function stateAfter(actions: readonly AgentAction[]): SessionState {
  const start: SessionAction[] = [
    { type: 'session/ready', session, at: 1 },
    { type: 'session/turnStarted', session, at: 1, turnId: 't1', userMessage: { text: 'go' } },
  ];
  const stamped = actions.map((action) => ({ ...action, session, at: 2 }) as SessionAction);
  const initial = createSessionState({ resource: session, provider: 'mock', title: '', createdAt: 0 });
  return [...start, ...stamped].reduce(sessionReducer, initial);
}

const text = (content: string): AgentEvent => ({ type: 'text', text: content });
const running = (toolCallId: string, how: 'notNeeded' | 'policy' = 'notNeeded'): ToolCallStart => ({
  toolCallId,
  toolName: 't',
  displayName: 'T',
  invocationMessage: 'Doing it',
  status: 'running',
  confirmed: { how },
});
const pending = (toolCallId: string): ToolCallStart => {
  const { status: _, confirmed: __, ...base } = running(toolCallId) as ToolCallStart & { confirmed: unknown };
  return {
    ...base,
    status: 'pendingConfirmation',
    confirmation: { options: [{ id: 'y', label: 'Y', kind: 'approve' }] },
  };
};
const start = (toolCall: ToolCallStart): AgentEvent => ({ type: 'toolStart', toolCall });
const complete = (toolCallId: string): AgentEvent => ({
  type: 'toolComplete',
  toolCallId,
  result: { success: true, pastTenseMessage: 'Did it' },
});

describe('AgentEventMapper', () => {
  it('puts text into one part until another event comes', () => {
    const { map } = setUp();
    const actions = map(
      text('a'),
      { type: 'usage', usage: { inputTokens: 1, cost: Number.NaN } },
      text('b'),
      { type: 'reasoning', text: 'c' },
      { type: 'reasoning', text: 'd' },
      text('e'),
      start(running('1')),
      text('f'),
      { type: 'toolUpdate', toolCallId: '1', output: 'out' },
      complete('1'),
      text('g'),
      { type: 'notice', text: 'h', severity: 'warning' },
      text('i'),
      text(''),
      { type: 'idle' },
    );
    expect(actions.slice(0, 3)).toEqual([
      { type: 'session/responsePart', turnId: 't1', part: { kind: 'markdown', id: 'new-1', content: '' } },
      { type: 'session/delta', turnId: 't1', partId: 'new-1', content: 'a' },
      { type: 'session/usage', turnId: 't1', usage: { inputTokens: 1 } },
    ]);
    const turn = stateAfter(actions).turns[0];
    expect(turn?.responseParts).toMatchObject([
      { kind: 'markdown', id: 'new-1', content: 'ab' },
      { kind: 'reasoning', id: 'new-2', content: 'cd' },
      { kind: 'markdown', id: 'new-3', content: 'e' },
      { kind: 'toolCall', toolCallId: '1' },
      { kind: 'markdown', id: 'new-4', content: 'fg' },
      { kind: 'notice', id: 'new-5', text: 'h', severity: 'warning' },
      { kind: 'markdown', id: 'new-6', content: 'i' },
    ]);
    expect(turn?.toolCalls).toMatchObject([{ status: 'completed', output: { text: 'out' } }]);
    expect(turn?.state).toBe('complete');
  });

  it('begins a new part when another part was added from outside', () => {
    const { mapper, map } = setUp();
    const before = map(text('a'));
    mapper.beginNewPart();
    expect([...before, ...map(text('b'))].filter(({ type }) => type === 'session/responsePart')).toHaveLength(2);
  });

  it('maps events of the session', () => {
    const { map } = setUp();
    const changes = [{ uri: 'file:///a', insertions: 1, deletions: 0 }];
    expect(
      map(
        { type: 'title', title: '  two\n\u001b[31mlines ' },
        { type: 'activity', activity: 'Reading' },
        { type: 'activity' },
        { type: 'changes', changes },
      ),
    ).toEqual([
      { type: 'session/titleChanged', title: 'two [31mlines' },
      { type: 'session/activityChanged', activity: 'Reading' },
      { type: 'session/activityChanged' },
      { type: 'session/changesChanged', changes },
    ]);
  });

  it('passes on artifacts', () => {
    const { mapper } = setUp();
    const kept = (event: AgentEvent) => {
      const { actions, artifact } = mapper.map(event);
      expect(actions).toEqual([]);
      return artifact;
    };
    const content = Uint8Array.of(1);
    expect([
      kept({ type: 'plan', markdown: '# Plan' }),
      kept({ type: 'checkpoint', title: ' two\nlines ', markdown: 'x' }),
      kept({ type: 'artifact', kind: 'file', name: 'a/b.bin', content }),
      kept({ type: 'artifact', kind: 'research', name: 'note.md', content: 'n' }),
    ]).toEqual([
      { kind: 'plan', markdown: '# Plan' },
      { kind: 'checkpoint', title: 'two lines', markdown: 'x' },
      { kind: 'file', name: 'a/b.bin', content },
      { kind: 'research', name: 'note.md', content: 'n' },
    ]);
    mapper.end();
    expect(kept({ type: 'plan', markdown: 'too late' })).toBeUndefined();
  });

  it('bounds and cleans a mode, and drops one without a usable id', () => {
    const { map, dropped } = setUp();
    const long = 'x'.repeat(MAX_TITLE_LENGTH * 8);
    expect(
      map(
        { type: 'mode', mode: { id: 'plan\u0007', name: ` two\n${long}` } },
        { type: 'mode', mode: { id: '\n' } },
        { type: 'mode', mode: { id: '__proto__' } },
        { type: 'mode' },
      ),
    ).toEqual([
      { type: 'session/modeChanged', mode: { id: 'plan', name: expect.stringMatching(/^two x+…$/) } },
      { type: 'session/modeChanged' },
    ]);
    expect(dropped).toEqual(['mode: the mode is empty', 'mode: the mode is empty']);
  });

  it('ends the turn once; only a title may follow', () => {
    const { mapper, map, dropped } = setUp();
    const error = { errorType: 'E', message: 'it broke' };
    expect(map({ type: 'error', error }, text('late'), { type: 'idle' }, { type: 'title', title: 'x' })).toEqual([
      { type: 'session/error', turnId: 't1', error },
      { type: 'session/titleChanged', title: 'x' },
    ]);
    expect([mapper.ended, dropped]).toEqual([true, ['text: the turn has ended', 'idle: the turn has ended']]);
  });

  it('drops events after the turn was ended from outside', () => {
    const { mapper, map } = setUp();
    mapper.end();
    expect(map(text('late'), complete('1'), { type: 'idle' })).toEqual([]);
  });

  it('drops and reports misplaced events', () => {
    const { map, dropped } = setUp();
    map(
      { type: 'toolUpdate', toolCallId: 'x', output: 'o' },
      complete('x'),
      start(pending('1')),
      start(pending('1')),
      start(running('2', 'policy')),
      start(running('2')),
      complete('2'),
      complete('2'),
      { type: 'toolUpdate', toolCallId: '2', output: 'o' },
      start(running('2')),
      { type: 'title', title: ' \n' },
    );
    expect(dropped).toEqual([
      'toolUpdate: the call was never announced',
      'toolComplete: the call was never announced',
      'toolStart: the call was announced before',
      'toolStart: the call was announced before',
      'toolComplete: the call is complete already',
      'toolUpdate: the call is complete already',
      'toolStart: the call was announced before',
      'title: the title is empty',
    ]);
  });

  it('allows a second announcement of a running call without an answer, without a second part', () => {
    const { map, dropped } = setUp();
    const actions = map(text('a'), start(running('1')), text('b'), start(pending('1')), text('c'));
    const { activeTurn } = stateAfter(actions);
    expect(activeTurn?.responseParts.map((part) => part.kind)).toEqual(['markdown', 'toolCall', 'markdown']);
    expect([activeTurn?.toolCalls['1']?.status, dropped]).toEqual(['pendingConfirmation', []]);
  });

  it.each([['__proto__'], ['constructor'], [''], ['x'.repeat(257)], ['a\u0000b'], ['a\nb'], ['\ud800']])(
    'replaces the id %j by a safe one for the whole turn, and maps it back',
    (id) => {
      const { mapper, map, dropped } = setUp();
      const actions = map(
        start(pending(id)),
        { type: 'toolUpdate', toolCallId: id, output: 'o' },
        {
          type: 'permissionRequest',
          request: { requestId: `${id}\u0001`, kind: 'question', title: 'T', message: 'M', toolCallId: id },
        },
        complete(id),
      );
      const ids = actions.map((action) =>
        'toolCallId' in action
          ? action.toolCallId
          : 'toolCall' in action
            ? action.toolCall.toolCallId
            : 'request' in action
              ? action.request.toolCallId
              : '',
      );
      expect(new Set(ids)).toEqual(new Set(['new-1']));
      expect([mapper.agentIdOf('new-1'), mapper.agentIdOf('y'), mapper.agentIdOf('never'), dropped]).toEqual([
        id,
        'y',
        undefined,
        [],
      ]);
      expect(actions.map(isValid)).toEqual([true, true, true, true]);
    },
  );

  it("never maps two of the agent's ids to the same one", () => {
    const { mapper, map } = setUp();
    const actions = map(start(running('__proto__')), start(running('new-1')), start(running('new-2')));
    const ids = actions.map((action) => (action.type === 'session/toolStart' ? action.toolCall.toolCallId : ''));
    expect(ids.map((id) => mapper.agentIdOf(id))).toEqual(['__proto__', 'new-1', 'new-2']);
  });

  it('bounds the state', () => {
    const { map } = setUp();
    const huge = '😀'.repeat(1_000_000);
    const actions = map(
      text(huge),
      start({ ...pending('1'), toolInput: huge, invocationMessage: huge, displayName: huge }),
      { type: 'toolUpdate', toolCallId: '1', output: huge, invocationMessage: huge },
      {
        type: 'toolComplete',
        toolCallId: '1',
        result: {
          success: false,
          pastTenseMessage: huge,
          toolOutput: huge,
          exitCode: Number.NaN,
          error: { message: huge },
          content: [
            { type: 'text', text: huge },
            { type: 'fileEdit', uri: 'file:///a', insertions: 1, deletions: 1, diff: huge },
          ],
        },
      },
      { type: 'title', title: huge },
      { type: 'error', error: { errorType: huge, message: huge, stack: huge } },
    );
    expect(actions.map((action) => JSON.stringify(action).length < MAX_FRAME_BYTES / 2)).not.toContain(false);
    expect(actions.filter((action) => !JSON.stringify(action).isWellFormed())).toEqual([]);
    const done = actions.find((action) => action.type === 'session/toolComplete');
    const output = done?.result.toolOutput ?? '';
    expect(output).toMatch(/^(😀)+\n… 3,983,616 bytes omitted …\n(😀)+$/u);
    expect([Buffer.byteLength(output) < INLINE_CONTENT_LIMIT + 50, done?.result.exitCode]).toEqual([true, undefined]);
    const started = actions.find((action) => action.type === 'session/toolStart')?.toolCall;
    expect(started?.status === 'pendingConfirmation' && started.confirmation.editable).toBe(false);
    const title = actions.find((action) => action.type === 'session/titleChanged')?.title ?? '';
    expect(title.length).toBeLessThanOrEqual(MAX_TITLE_LENGTH);
    expect(actions.map((a) => (a.type === 'session/delta' ? a.content : '')).join('') === huge).toBe(true);
  });

  it('leaves short text unchanged, and passes large text on to be stored', () => {
    const result = { success: true, pastTenseMessage: 'Did it', toolOutput: 'short', exitCode: 0 };
    expect(
      setUp()
        .map(start(running('1')), { type: 'toolComplete', toolCallId: '1', result })
        .at(-1),
    ).toMatchObject({ result });
    const { map } = setUp({ boundResult: ({ toolOutput: _, ...rest }) => ({ ...rest, pastTenseMessage: 'stored' }) });
    const mapped = map(start(running('1')), { type: 'toolComplete', toolCallId: '1', result }).at(-1);
    expect(mapped).toEqual({
      type: 'session/toolComplete',
      turnId: 't1',
      toolCallId: '1',
      result: { success: true, pastTenseMessage: 'stored', exitCode: 0 },
    });
  });

  it('adds a reference for stored bytes, and a notice for others', () => {
    const keepContent: AgentEventMapperOptions['keepContent'] = ({ data }) => {
      if (data === 'told before') return { refused: undefined };
      return data === 'bad' ? { refused: 'It was not kept.' } : { ref: { uri: `mock://s1/${data}`, sizeHint: 1 } };
    };
    const { map } = setUp({ keepContent });
    const content = (data: string) => ({ data, mimeType: 'image/png' });
    const actions = map(
      text('a'),
      { type: 'content', content: content('one') },
      text('b'),
      { type: 'content', content: content('bad') },
      { type: 'content', content: content('told before') },
      start(running('1')),
      {
        type: 'toolComplete',
        toolCallId: '1',
        result: { success: true, pastTenseMessage: 'Did it', content: [{ type: 'text', text: 'words' }] },
        contents: ['two', 'bad', 'two', 'three'].map(content),
      },
      { type: 'idle' },
    );
    expect(actions.filter((action) => !isValid(action))).toEqual([]);
    const [turn] = stateAfter(actions).turns;
    expect(turn?.responseParts).toMatchObject([
      { kind: 'markdown', content: 'a' },
      { kind: 'contentRef', ref: { uri: 'mock://s1/one' } },
      { kind: 'markdown', content: 'b' },
      { kind: 'notice', text: 'It was not kept.', severity: 'warning' },
      { kind: 'toolCall' },
      { kind: 'notice', text: 'It was not kept.' },
    ]);
    expect(turn?.toolCalls).toMatchObject([
      {
        result: {
          content: [
            { type: 'text', text: 'words' },
            { type: 'contentRef', ref: { uri: 'mock://s1/two' } },
            { type: 'contentRef', ref: { uri: 'mock://s1/three' } },
          ],
        },
      },
    ]);
    // A session without a folder reports it too.
    expect(setUp().map({ type: 'content', content: content('one') })).toMatchObject([{ part: { kind: 'notice' } }]);
  });

  it('makes valid actions from any sequence of events, and none after the end', () => {
    const id = fc.oneof(
      fc.constantFrom('1', '2', '__proto__', 'constructor', '', 'a\u0007', 'x'.repeat(300)),
      fc.string(),
    );
    const event: fc.Arbitrary<AgentEvent> = fc.oneof(
      fc.string({ unit: 'binary' }).map(text),
      fc.string().map((content): AgentEvent => ({ type: 'reasoning', text: content })),
      id.map((i) => start(running(i))),
      id.map((i) => start(pending(i))),
      fc.tuple(id, fc.string()).map(([toolCallId, output]): AgentEvent => ({ type: 'toolUpdate', toolCallId, output })),
      id.map(complete),
      id.map(
        (requestId): AgentEvent => ({
          type: 'permissionRequest',
          request: {
            requestId,
            kind: 'permission',
            title: 'T',
            message: 'M',
            options: [{ id: requestId, label: 'L' }],
          },
        }),
      ),
      fc.string().map((title): AgentEvent => ({ type: 'title', title })),
      fc.constantFrom<AgentEvent>(
        { type: 'idle' },
        { type: 'activity' },
        { type: 'plan', markdown: 'p' },
        { type: 'checkpoint', title: 'c', markdown: 'm' },
        { type: 'artifact', kind: 'file', name: '../a', content: '' },
        { type: 'notice', text: 'n', severity: 'info' },
        { type: 'content', content: { data: 'AA==' } },
      ),
    );
    holds(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { map } = setUp({ newId: () => crypto.randomUUID() });
        const actions = map(...events);
        expect(actions.filter((action) => !isValid(action))).toEqual([]);
        const end = actions.findIndex(({ type }) => type === 'session/turnComplete');
        const late = end < 0 ? [] : actions.slice(end + 1).filter(({ type }) => type !== 'session/titleChanged');
        expect(late).toEqual([]);
      }),
    );
  });
});

function isValid(action: AgentAction): boolean {
  return SCHEMAS.SessionAction.safeParse({ ...action, session, at: 1 }).success;
}
