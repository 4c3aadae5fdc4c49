import type { ElicitationContentValue, ElicitationPropertySchema, ElicitationSchema } from '@agentclientprotocol/sdk';
import type { Form, FormChoice, FormField, FormValue, FormValues } from '@agenthost/protocol';
import { safeLine } from '../text/safeText.js';

/** A form as an editor asks for it. */
export function formSchema({ fields }: Form): ElicitationSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.id, property(field)])),
    required: fields.filter(({ optional }) => !optional).map(({ id }) => id),
  };
}

/** What was filled in, without what the form does not ask for. */
export function formValues(
  { fields }: Form,
  content: Readonly<Record<string, ElicitationContentValue>> | null | undefined,
): FormValues {
  const given = fields.flatMap(({ id }): [string, FormValue][] => {
    const value = content && Object.hasOwn(content, id) ? content[id] : undefined;
    return value === undefined ? [] : [[id, value]];
  });
  return Object.fromEntries(given);
}

/** Secrets must not go through an editor's form: it shows them, and keeps them. */
export function asksForSecret({ fields }: Form): boolean {
  return fields.some(({ kind }) => kind === 'secret');
}

function property(field: FormField): ElicitationPropertySchema {
  const { label, description } = field;
  const about = { title: safeLine(label), ...(description !== undefined && { description: safeLine(description) }) };
  switch (field.kind) {
    case 'choice':
      return {
        type: 'string',
        ...about,
        oneOf: field.choices.map(option),
        ...(field.default !== undefined && { default: field.default }),
      };
    case 'choices':
      return {
        type: 'array',
        ...about,
        items: { anyOf: field.choices.map(option) },
        ...(field.min !== undefined && { minItems: field.min }),
        ...(field.max !== undefined && { maxItems: field.max }),
        ...(field.default !== undefined && { default: [...field.default] }),
      };
    case 'number':
      return {
        type: field.integer ? 'integer' : 'number',
        ...about,
        ...(field.min !== undefined && { minimum: field.min }),
        ...(field.max !== undefined && { maximum: field.max }),
        ...(field.default !== undefined && { default: field.default }),
      };
    case 'boolean':
      return { type: 'boolean', ...about, ...(field.default !== undefined && { default: field.default }) };
    default:
      return {
        type: 'string',
        ...about,
        ...(field.minLength !== undefined && { minLength: field.minLength }),
        ...(field.maxLength !== undefined && { maxLength: field.maxLength }),
        ...(field.kind === 'text' && field.format !== undefined && { format: field.format }),
        ...(field.kind === 'text' && field.default !== undefined && { default: field.default }),
      };
  }
}

function option({ id, label, description }: FormChoice) {
  return {
    const: id,
    title: safeLine(label),
    ...(description !== undefined && { description: safeLine(description) }),
  };
}
