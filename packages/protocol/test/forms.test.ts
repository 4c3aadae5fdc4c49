import { describe, expect, it } from 'vitest';
import { fieldProblem, filledForm, formAnswerOf, formProblem, plainAnswers, withoutSecrets } from '../src/forms.js';
import type { Form, FormField, FormValue } from '../src/types/forms.js';

const CHOICE: FormField = { kind: 'choice', id: 'c', label: 'C', choices: [{ id: 'a', label: 'A' }] };
const TEXT: FormField = { kind: 'text', id: 't', label: 'T' };
const SURE: FormField = { kind: 'boolean', id: 's', label: 'S' };
const optional = (field: FormField): FormField => ({ ...field, optional: true });
const ids = (form: Form) => plainAnswers(form).options.map(({ id }) => id);

describe('[FORM4] what clients answer that show no forms', () => {
  const [skip, decline] = ['form/skip', 'form/decline'];
  it.each<[string, FormField[], string[], true | undefined]>([
    ['a choice', [CHOICE], ['a', skip, decline], undefined],
    ['a choice and an optional text', [CHOICE, optional(TEXT)], ['a', skip, decline], undefined],
    ['an optional choice and an optional text', [optional(CHOICE), optional(TEXT)], ['a', skip, decline], true],
    ['a choice and a text', [CHOICE, TEXT], [skip, decline], undefined],
    ['a yes or no', [SURE], ['form/yes', 'form/no', skip, decline], undefined],
    ['two choices', [CHOICE, { ...optional(CHOICE), id: 'd' }], [skip, decline], undefined],
    ['a text', [TEXT], [skip, decline], true],
  ])('%s', (_what, fields, options, allowText) => {
    expect([ids({ fields }), plainAnswers({ fields }).allowText]).toEqual([options, allowText]);
  });

  it('is the value of that field', () => {
    expect(formAnswerOf({ fields: [CHOICE] }, { approved: true, optionId: 'a' }).values).toEqual({ c: 'a' });
    expect(formAnswerOf({ fields: [SURE] }, { approved: true, optionId: 'form/no' }).values).toEqual({ s: false });
    expect(formAnswerOf({ fields: [TEXT] }, { approved: true, text: 'x' }).values).toEqual({ t: 'x' });
    expect(formAnswerOf({ fields: [CHOICE] }, { approved: true, optionId: 'form/skip' }).outcome).toBe('skipped');
  });
});

describe('[FORM3] a value', () => {
  const text = (more: object): FormField => ({ ...TEXT, ...more }) as FormField;
  it.each<[FormField, FormValue | undefined, boolean]>([
    [text({ format: 'email' }), 'a@b', true],
    [text({ format: 'email' }), '@b', false],
    [text({ format: 'email' }), 'a@b@c', false],
    [text({ format: 'uri' }), 'https://example.com', true],
    [text({ format: 'uri' }), 'example', false],
    [text({ format: 'date' }), '2026-11-18', true],
    [text({ format: 'date' }), '2026-13-18', false],
    [text({ format: 'date-time' }), '2026-11-18T13:00:00Z', true],
    [text({ format: 'date-time' }), '2026-11-18', false],
    [text({ minLength: 3 }), 'ab', false],
    [text({ maxLength: 1 }), 'ab', false],
    [optional(text({ minLength: 3 })), '', true],
    [{ kind: 'number', id: 'n', label: 'N' }, Number.NaN, false],
    [{ kind: 'choices', id: 'm', label: 'M', choices: [{ id: 'a', label: 'A' }], min: 0 }, [], true],
    [{ kind: 'choices', id: 'm', label: 'M', choices: [{ id: 'a', label: 'A' }] }, undefined, false],
    [CHOICE, 'toString', false],
  ])('of %j: %j fits: %s', (field, value, fits) => {
    expect(fieldProblem(field, value) === undefined).toBe(fits);
  });

  it('is checked in time that does not depend on how it is written', () => {
    for (const format of ['email', 'uri', 'date', 'date-time'] as const) {
      const started = performance.now();
      for (const value of ['a'.repeat(10_000), `${'1'.repeat(9_999)}!`, `a:${'b '.repeat(4_999)}`, '@'.repeat(10_000)])
        fieldProblem(text({ format }), value);
      expect(performance.now() - started).toBeLessThan(50);
    }
  });
});

it('[FORM5] a secret is in its own field, and can be taken out', () => {
  const form: Form = { fields: [TEXT, { kind: 'secret', id: 'k', label: 'K' }] };
  const filled = filledForm(form, { t: 'x', k: 'hush' });
  expect(filled).toEqual({ values: { t: 'x' }, secrets: { k: 'hush' } });
  expect(withoutSecrets(filled)).toEqual({ values: { t: 'x' }, secrets: { k: '' } });
  expect(formProblem(form, { values: { t: 'x', k: 'hush' }, secrets: {} })?.field).toBe('k');
  expect(formProblem(form, { values: { t: 'x' }, secrets: { k: 'hush' } })).toBeUndefined();
});
