import * as z from 'zod';
import { MAX_FORM_CHOICES, MAX_FORM_FIELDS, MAX_FORM_TEXT } from '../limits.js';
import { count, id, label } from './primitives.js';

const text = z.string().max(MAX_FORM_TEXT);
const field = {
  id,
  label: label.describe('Ready to display.'),
  description: text.exactOptional(),
  optional: z.literal(true).exactOptional().describe('The answer may leave it out. All others are required.'),
};

export const formChoice = z.object({ id, label, description: text.exactOptional() });
const choices = z.array(formChoice).min(1).max(MAX_FORM_CHOICES);

export const choiceField = z
  .object({ kind: z.literal('choice'), ...field, choices, default: id.exactOptional() })
  .describe('One of the choices: its id.');
export const choicesField = z
  .object({
    kind: z.literal('choices'),
    ...field,
    choices,
    min: count.exactOptional().describe('How many at least.'),
    max: count.exactOptional().describe('How many at most.'),
    default: z.array(id).max(MAX_FORM_CHOICES).exactOptional(),
  })
  .describe('Any number of the choices: their ids.');
export const textField = z
  .object({
    kind: z.literal('text'),
    ...field,
    minLength: count.exactOptional(),
    maxLength: count.exactOptional(),
    format: z
      .enum(['email', 'uri', 'date', 'date-time'])
      .exactOptional()
      .describe('`date` is as `2026-11-18`, `date-time` as `2026-11-18T13:00:00Z`.'),
    default: text.exactOptional(),
  })
  .describe('A text, in UTF-16 code units.');
export const numberField = z
  .object({
    kind: z.literal('number'),
    ...field,
    min: z.number().exactOptional(),
    max: z.number().exactOptional(),
    integer: z.literal(true).exactOptional(),
    default: z.number().exactOptional(),
  })
  .describe('A number.');
export const booleanField = z
  .object({ kind: z.literal('boolean'), ...field, default: z.boolean().exactOptional() })
  .describe('Yes or no.');
export const secretField = z
  .object({
    kind: z.literal('secret'),
    ...field,
    minLength: count.exactOptional(),
    maxLength: count.exactOptional(),
  })
  .describe('A text that only the agent gets. It is answered in `secrets`, and shown as dots while it is typed.');
export const formField = z.discriminatedUnion('kind', [
  choiceField,
  choicesField,
  textField,
  numberField,
  booleanField,
  secretField,
]);

export const form = z
  .object({ fields: z.array(formField).min(1).max(MAX_FORM_FIELDS) })
  .describe('Several questions with one answer. Since version 2.');

export const formValue = z.union([text, z.number(), z.boolean(), z.array(id).max(MAX_FORM_CHOICES)]);
export const formValues = z.record(z.string(), formValue).describe('By the id of the field.');
export const formSecrets = z.record(z.string(), text).describe('By the id of the field.');
