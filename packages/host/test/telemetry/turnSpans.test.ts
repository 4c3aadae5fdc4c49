import type { SessionAction, SessionState } from '@agenthost/protocol';
import { sessionReducer } from '@agenthost/protocol';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, it } from 'vitest';
import { modelName, OTHER_NAME, toolName } from '../../src/telemetry/safeName.js';
import { samplerOf } from '../../src/telemetry/samplerOf.js';
import { SendingProblems } from '../../src/telemetry/sendingProblems.js';
import { wantsTelemetry } from '../../src/telemetry/telemetry.js';
import { TurnSpans } from '../../src/telemetry/turnSpans.js';

const URI = 'mock:/one';
const PLANTED = 'planted in /home/ann/secret.txt';

/** A session that is told what an agent does, and the spans that come of it. */
class World {
  readonly exporter = new InMemorySpanExporter();
  readonly spans: TurnSpans;
  #at = 1_000;
  state = {
    summary: {
      resource: URI,
      provider: 'mock',
      title: PLANTED,
      createdAt: 1,
      modifiedAt: 1,
      status: 'idle',
      isRead: true,
      isArchived: false,
    },
    lifecycle: 'ready',
    turns: [],
  } as unknown as SessionState;

  constructor(withContent = false) {
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: this.exporter })] });
    this.spans = new TurnSpans(provider.getTracer('test'), { withContent });
  }

  act(action: object): void {
    const before = this.state;
    const stamped = { session: URI, at: this.#at++, ...action } as SessionAction;
    this.state = sessionReducer(before, stamped);
    this.spans.changed(stamped, before, this.state);
  }

  begin(turnId: string): void {
    this.act({ type: 'session/turnStarted', turnId, userMessage: { text: PLANTED }, model: PLANTED });
  }

  call(turnId: string, toolCallId: string, more: object = {}): void {
    const shown = { toolName: PLANTED, displayName: PLANTED, invocationMessage: PLANTED, toolInput: PLANTED };
    const toolCall = { toolCallId, ...shown, status: 'running', confirmed: { how: 'notNeeded' }, ...more };
    this.act({ type: 'session/toolStart', turnId, toolCall });
  }

  turn(turnId: string): void {
    this.begin(turnId);
    this.act({ type: 'session/responsePart', turnId, part: { kind: 'markdown', id: 'p', content: PLANTED } });
    this.call(turnId, 'outer');
    this.call(turnId, 'inner', { parentToolCallId: 'outer', toolName: 'Read' });
    const result = { success: false, pastTenseMessage: PLANTED, toolOutput: PLANTED };
    this.act({ type: 'session/toolComplete', turnId, toolCallId: 'inner', result });
    this.act({ type: 'session/error', turnId, error: { errorType: PLANTED, message: PLANTED } });
  }

  get finished() {
    return this.exporter.getFinishedSpans();
  }
}

function told(world: World): string {
  return JSON.stringify(
    world.finished.map(({ name, attributes, status, events }) => [name, attributes, status, events]),
  );
}

it('a turn and its calls are spans in each other, without a word of what was said', () => {
  const world = new World();
  world.turn('a');
  const [inner, outer, turn] = world.finished;
  expect(world.finished.map(({ name }) => name)).toEqual([
    'execute_tool Read',
    'execute_tool _OTHER',
    'invoke_agent mock',
  ]);
  expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
  expect(outer?.parentSpanContext?.spanId).toBe(turn?.spanContext().spanId);
  expect(turn?.attributes).toMatchObject({
    'gen_ai.conversation.id': 'one',
    'gen_ai.request.model': '_OTHER',
    'error.type': '_OTHER',
  });
  expect(told(world)).not.toMatch(/planted|secret|ann/);
});

it('content is told when it was asked for, and bounded', () => {
  const world = new World(true);
  world.turn('a');
  expect(told(world).match(/planted/g)?.length).toBe(5);
  world.act({ type: 'session/turnStarted', turnId: 'b', userMessage: { text: 'x'.repeat(1_000_000) } });
  world.act({ type: 'session/turnComplete', turnId: 'b' });
  expect(String(world.finished.at(-1)?.attributes['gen_ai.input.messages']).length).toBeLessThan(20_000);
});

it('spans that never end are bounded, and what comes late or twice does nothing', () => {
  const world = new World();
  world.act({
    type: 'session/toolComplete',
    turnId: 'x',
    toolCallId: 'y',
    result: { success: true, pastTenseMessage: '' },
  });
  world.begin('a');
  for (let n = 0; n < 1_000; n++) world.call('a', `call ${n}`);
  world.act({ type: 'session/turnComplete', turnId: 'a' });
  world.act({ type: 'session/turnComplete', turnId: 'a' });
  expect(world.finished).toHaveLength(201);
  const empty = world.state;
  for (let n = 0; n < 1_500; n++) {
    world.state = { ...empty, summary: { ...empty.summary, resource: `mock:/${n}` } };
    world.begin(`turn ${n}`);
  }
  expect(world.finished).toHaveLength(201 + 500);
  world.spans.dispose();
  expect(world.finished).toHaveLength(201 + 1_500);
});

it.each(['secret.txt', '/home/ann', 'Read the file', 'x'.repeat(65), '', '../a', 'C:\\a'])('%j is no name', (name) => {
  expect(toolName(name)).toBe(OTHER_NAME);
});

it.each(['/models/ann.gguf', 'C:/models/a', 'a b', '~/x/y', 'http://host/x', 'a/b/c'])('%j is no model', (name) => {
  expect(modelName(name)).toBe(OTHER_NAME);
});

it('models and tools keep their usual names', () => {
  const models = ['gpt-5.2', 'claude-opus-4-5', 'anthropic/claude-sonnet-4.5', 'qwen3:32b'];
  expect(models.map(modelName)).toEqual(models);
  const tools = ['Read', 'mcp__github__list_issues', 'shell', 'apply_patch'];
  expect(tools.map(toolName)).toEqual(tools);
});

it.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ OTEL_SERVICE_NAME: 'a' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://a' }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_SDK_DISABLED: 'TRUE' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_TRACES_EXPORTER: 'none' }, true],
  [{ OTEL_METRICS_EXPORTER: 'otlp' }, true],
])('%j turns telemetry on: %s', (env, on) => {
  expect(wantsTelemetry(env)).toBe(on);
});

it('a sampler is as its variable says, and all is kept with one that makes no sense', () => {
  const warnings: string[] = [];
  const named = (name: string, argument?: string) =>
    String(samplerOf({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument }, (what) => warnings.push(what)));
  expect(named('parentbased_traceidratio', '0.25')).toContain('TraceIdRatioBased{0.25}');
  expect(named('always_off')).toContain('root=AlwaysOffSampler');
  expect(warnings).toEqual([]);
  expect(named('traceidratio', 'many')).toContain('TraceIdRatioBased{1}');
  expect(named('constructor')).toContain('root=AlwaysOnSampler');
  expect(warnings).toHaveLength(2);
});

it('ten thousand failures of a collector are one line, without its address', () => {
  const lines: string[] = [];
  const warn = (line: string) => lines.push(line);
  const problems = new SendingProblems({ error: warn, warn, info: warn, debug: warn });
  for (let n = 0; n < 10_000; n++)
    problems.happened(new Error('no answer of http://ann:secret@collector:4318/v1\nat x'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/secret|\n/);
});
