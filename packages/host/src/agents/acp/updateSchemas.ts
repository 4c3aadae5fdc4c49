// Reads agents' messages leniently: there are many agents and versions, and an invalid field counts as absent instead of costing
// the whole update.
import { randomUUID } from 'node:crypto';
import * as z from 'zod';

const lenient = <T extends z.ZodType>(schema: T) =>
  schema
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined);

/** The maximum number of list entries that are read: each costs time, and people don't read more. */
const MAX_ENTRIES = 1_000;

const firstOf = <T extends z.ZodType>(entry: T) =>
  z.preprocess((list) => (Array.isArray(list) ? list.slice(0, MAX_ENTRIES) : list), z.array(entry));

const contentBlock = z.looseObject({
  type: z.string(),
  text: lenient(z.string()),
  name: lenient(z.string()),
  uri: lenient(z.string()),
  data: lenient(z.string()),
  mimeType: lenient(z.string()),
  resource: lenient(
    z.looseObject({
      text: lenient(z.string()),
      uri: lenient(z.string()),
      blob: lenient(z.string()),
      mimeType: lenient(z.string()),
    }),
  ),
});

const toolContent = z.looseObject({
  type: z.string(),
  content: lenient(contentBlock),
  path: lenient(z.string()),
  oldText: lenient(z.string()),
  newText: lenient(z.string()),
  terminalId: lenient(z.string()),
});

const KINDS = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
] as const;

export const toolCallFields = z.object({
  toolCallId: z.union([z.string().min(1), z.number().transform(String)]),
  title: lenient(z.string()),
  name: lenient(z.string()),
  kind: lenient(z.enum(KINDS)),
  status: lenient(z.enum(['pending', 'in_progress', 'completed', 'failed'])),
  content: lenient(firstOf(toolContent)),
  locations: lenient(firstOf(z.looseObject({ path: z.string() }))),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: lenient(z.record(z.string(), z.unknown())),
});

/** Some agents use numbers as ids. */
const stringOrNumber = z.union([z.string(), z.number()]);

const permissionOption = z
  .object({ optionId: stringOrNumber, name: lenient(z.string()), kind: lenient(z.string()) })
  .transform(({ optionId, name, kind = 'unknown' }) => ({
    id: String(optionId),
    optionId,
    name: name?.trim() || `${optionId}`,
    kind,
  }));

/** Every question is asked: invalid parts of the call or the options are left out, never the question. */
export const permissionRequest = z.object({
  toolCall: z.preprocess(
    (call) => ({ ...(typeof call === 'object' ? call : {}) }),
    toolCallFields.extend({ toolCallId: toolCallFields.shape.toolCallId.catch(() => randomUUID()) }),
  ),
  options: firstOf(lenient(permissionOption))
    .catch([])
    .transform((options) => options.filter((option) => option !== undefined)),
});

/** The schema is read by `schemaForm`. */
export const elicitation = z.object({
  mode: z.string().catch('form'),
  message: z.string().catch(''),
  requestedSchema: z.unknown(),
});

const availableCommand = z.object({
  name: z.string(),
  description: lenient(z.string()),
  input: lenient(z.looseObject({ hint: lenient(z.string()) })),
});

const chunk = z.object({ content: contentBlock });

export const sessionUpdate = z.discriminatedUnion('sessionUpdate', [
  chunk.extend({ sessionUpdate: z.literal('agent_message_chunk') }),
  chunk.extend({ sessionUpdate: z.literal('agent_thought_chunk') }),
  toolCallFields.extend({ sessionUpdate: z.literal('tool_call') }),
  toolCallFields.extend({ sessionUpdate: z.literal('tool_call_update') }),
  z.object({
    sessionUpdate: z.literal('plan'),
    entries: z.array(z.object({ content: z.string(), status: lenient(z.string()) })).max(1_000),
  }),
  z.object({
    sessionUpdate: z.literal('available_commands_update'),
    availableCommands: z.array(availableCommand).max(10_000),
  }),
  z.object({ sessionUpdate: z.literal('current_mode_update'), currentModeId: z.string() }),
  z.object({ sessionUpdate: z.literal('config_option_update'), configOptions: z.unknown().optional() }),
  z.object({ sessionUpdate: z.literal('session_info_update'), title: lenient(z.string()) }),
  z.object({
    sessionUpdate: z.literal('usage_update'),
    used: lenient(z.number().min(0)),
    size: lenient(z.number().min(0)),
    cost: lenient(z.object({ amount: z.number().min(0), currency: z.string() })),
  }),
  z.object({
    sessionUpdate: z.literal('compaction_update'),
    compactionId: z.string(),
    status: z.string(),
    summary: lenient(firstOf(contentBlock)),
    error: lenient(z.string()),
  }),
  chunk.extend({ sessionUpdate: z.literal('compaction_summary_chunk'), compactionId: z.string() }),
  z.object({
    sessionUpdate: z.literal('notice'),
    severity: lenient(z.string()),
    title: z.string(),
    description: lenient(z.string()),
  }),
]);

const count = lenient(z.number().min(0));

/** `usage` is not in the stable protocol yet, but most agents send it. Gemini CLI has its own field for it. */
export const promptResponse = z
  .object({
    stopReason: z.string(),
    usage: lenient(z.object({ inputTokens: count, outputTokens: count, cachedReadTokens: count })),
    _meta: lenient(
      z.object({
        quota: lenient(z.object({ token_count: lenient(z.object({ input_tokens: count, output_tokens: count })) })),
      }),
    ),
  })
  .transform(({ stopReason, usage, _meta: meta }) => {
    const counted = meta?.quota?.token_count;
    const own = counted && {
      inputTokens: counted.input_tokens,
      outputTokens: counted.output_tokens,
      cachedReadTokens: undefined,
    };
    return { stopReason, usage: usage ?? own };
  });

const named = z.object({ name: z.string(), description: lenient(z.string()) });
const selectOption = named.extend({ value: z.string() });

const configOption = z.looseObject({
  id: z.string(),
  type: z.string(),
  name: lenient(z.string()),
  description: lenient(z.string()),
  category: lenient(z.string()),
  currentValue: z.unknown().optional(),
  options: lenient(z.array(z.union([selectOption, z.object({ options: z.array(selectOption) })]))),
});

/** An invalid option is left out; the others count. */
export const configOptions = firstOf(lenient(configOption)).transform((options) =>
  options.filter((option) => option !== undefined),
);

/** `models` and `session/set_model` came before config options; some agents know only these. */
export const openedSession = z.looseObject({
  sessionId: lenient(z.string()),
  modes: lenient(z.object({ currentModeId: z.string(), availableModes: z.array(named.extend({ id: z.string() })) })),
  models: lenient(
    z.object({ currentModelId: z.string(), availableModels: z.array(named.extend({ modelId: z.string() })) }),
  ),
  configOptions: lenient(configOptions),
});

export const initialized = z.looseObject({
  protocolVersion: z.number(),
  agentInfo: lenient(z.looseObject({ version: lenient(z.string()) })),
  _meta: lenient(z.looseObject({ steering: lenient(z.looseObject({ supported: lenient(z.boolean()) })) })),
  authMethods: lenient(
    z.array(
      named.extend({
        id: z.string(),
        type: lenient(z.string()),
        args: lenient(z.array(z.string().max(4_096)).max(100)),
        env: lenient(z.record(z.string(), z.string())),
      }),
    ),
  ),
  agentCapabilities: lenient(
    z.looseObject({
      loadSession: lenient(z.boolean()),
      promptCapabilities: lenient(
        z.looseObject({ image: lenient(z.boolean()), embeddedContext: lenient(z.boolean()) }),
      ),
      mcpCapabilities: lenient(z.looseObject({ http: lenient(z.boolean()), sse: lenient(z.boolean()) })),
      sessionCapabilities: lenient(
        z.looseObject({
          resume: z.unknown().optional(),
          close: z.unknown().optional(),
          fork: z.unknown().optional(),
          delete: z.unknown().optional(),
        }),
      ),
    }),
  ),
});

/** The answer to `_session/steering`. */
export const steered = z.object({ outcome: z.string() });

export type ToolCallFields = z.output<typeof toolCallFields>;
export type AvailableCommand = z.output<typeof availableCommand>;
export type ToolKind = (typeof KINDS)[number];
export type ContentBlockFields = z.output<typeof contentBlock>;
export type SessionUpdate = z.output<typeof sessionUpdate>;
export type ElicitationFields = z.output<typeof elicitation>;
export type PermissionRequestFields = z.output<typeof permissionRequest>;
export type OpenedSession = z.output<typeof openedSession>;
export type ConfigOptions = z.output<typeof configOptions>;
export type Initialized = z.output<typeof initialized>;
export type PromptCapabilities = NonNullable<Initialized['agentCapabilities']>['promptCapabilities'];
