import { describe, expect, it } from 'vitest';
import { askedForm } from '../../../src/agents/events/askedForm.js';
import { type SchemaForm, schemaForm } from '../../../src/agents/events/schemaForm.js';

function formOf(schema: unknown): SchemaForm {
  const made = schemaForm(schema);
  if ('problem' in made) throw new Error(made.problem);
  return made;
}
const props = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });

describe('the form for a schema', () => {
  it('has a field of each kind, with bounds and defaults', () => {
    const { form, leftOut, mayBeEmpty } = formOf(
      props(
        {
          one: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'], default: 'b' },
          some: {
            type: 'array',
            items: { anyOf: [{ const: 'x', title: 'X', description: 'An x' }] },
            minItems: 1,
            default: ['x'],
          },
          words: { type: ['string', 'null'], title: 'Words', minLength: 2, maxLength: 9, pattern: '(a+)+$' },
          mail: { type: 'string', format: 'email', default: 'a@b' },
          count: { type: 'integer', minimum: 1, maximum: 3, default: 2 },
          sure: { type: 'boolean', default: true },
          key: { type: 'string', format: 'password' },
        },
        ['one', 'count'],
      ),
    );
    expect(form.fields).toEqual([
      {
        kind: 'choice',
        id: 'one',
        label: 'One',
        choices: [
          { id: 'a', label: 'A' },
          { id: 'b', label: 'B' },
        ],
        default: 'b',
      },
      {
        kind: 'choices',
        id: 'some',
        label: 'Some',
        optional: true,
        choices: [{ id: 'x', label: 'X', description: 'An x' }],
        min: 1,
        default: ['x'],
      },
      {
        kind: 'text',
        id: 'words',
        label: 'Words',
        description: 'It has to match (a+)+$',
        optional: true,
        minLength: 2,
        maxLength: 9,
      },
      { kind: 'text', id: 'mail', label: 'Mail', optional: true, format: 'email', default: 'a@b' },
      { kind: 'number', id: 'count', label: 'Count', min: 1, max: 3, integer: true, default: 2 },
      { kind: 'boolean', id: 'sure', label: 'Sure', optional: true, default: true },
      { kind: 'secret', id: 'key', label: 'Key', optional: true },
    ]);
    expect([leftOut, mayBeEmpty]).toEqual([[], true]);
  });

  it('gives the answer under the names and values of the schema, whatever they are', () => {
    const odd = `${'x'.repeat(500)}\n`;
    const { form, content } = formOf(
      JSON.parse(
        `{"properties":{"__proto__":{"type":"string"},"${'n'.repeat(300)}":{"enum":[${JSON.stringify(odd)},"form/skip",""]}}}`,
      ),
    );
    const [first, second] = form.fields;
    expect([first?.id, second?.id]).toEqual(['field-1', 'field-2']);
    expect(askedForm(form).form).toEqual(form);
    const given = content({ 'field-1': 'a', 'field-2': 'choice-1' });
    expect(Object.entries(given)).toEqual([
      ['__proto__', 'a'],
      ['n'.repeat(300), odd],
    ]);
    expect(content({ 'field-2': 'choice-2' })['n'.repeat(300)]).toBe('form/skip');
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  it('leaves out what is optional and can not be shown, and says so', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`f${n}`, { type: 'string' }]));
    const { form, leftOut } = formOf(props({ ...many, needed: { type: 'string' } }, ['needed']));
    expect(form.fields).toHaveLength(20);
    expect(form.fields[0]).toMatchObject({ id: 'needed' });
    expect(leftOut.at(-1)).toBe('9801 more');
    const mixed = formOf(props({ a: { type: 'string' }, b: { type: 'object' }, c: null }));
    expect(mixed.leftOut).toEqual(['"b" (unknown kind)', '"c" (unknown kind)']);
  });

  it('cuts huge lists of choices, and fits what clients accept', () => {
    const started = performance.now();
    const { form } = formOf(
      props({
        one: { type: 'string', enum: Array.from({ length: 100_000 }, (_, n) => `c${n}`) },
        two: { type: 'string', title: 't'.repeat(1_000_000), description: 'd'.repeat(1_000_000) },
      }),
    );
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(form.fields[0]).toMatchObject({ choices: { length: 200 } });
    expect(askedForm(form).form).toEqual(form);
  });

  it.each([
    [
      'too many required fields',
      props(
        Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, { type: 'string' }])),
        Array.from({ length: 21 }, (_, n) => `f${n}`),
      ),
    ],
    ['a required object', props({ a: { type: 'object' } }, ['a'])],
    ['nothing', undefined],
    ['a list', []],
    ['a cycle', { $ref: '#' }],
  ])('is none for %s', (_what, schema) => {
    expect(schemaForm(schema)).toHaveProperty('problem');
  });
});
