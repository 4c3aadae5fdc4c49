import { MAX_FORM_TEXT } from './limits.js';
import { ownValue } from './safeKey.js';
import type { Form, FormField, FormSecrets, FormValue, FormValues } from './types/forms.js';
import type { PermissionOption } from './types/turns.js';

/** What a client sends about a form. */
export interface SentAnswer {
  readonly approved: boolean;
  readonly optionId?: string;
  readonly text?: string;
  readonly values?: FormValues;
  readonly secrets?: FormSecrets;
}

export interface FormAnswer {
  /** Skipped: the agent decides. */
  readonly outcome: 'answered' | 'skipped' | 'declined';
  readonly values: FormValues;
  readonly secrets: FormSecrets;
}

export interface FieldProblem {
  /** The id of the field. */
  readonly field: string;
  /** A sentence for people. */
  readonly problem: string;
}

const SKIP: PermissionOption = { id: 'form/skip', label: 'Skip', description: 'The agent decides.' };
const DECLINE: PermissionOption = { id: 'form/decline', label: 'Decline', kind: 'deny' };
const YES = { id: 'form/yes', label: 'Yes' };
const NO = { id: 'form/no', label: 'No' };
const SECRET_SHOWN = '••••';
/** Ids of choices don't begin so: they would be taken for an option of `plainAnswers`. */
export const RESERVED_CHOICE = 'form/';

/** What a client that shows no forms may answer with: `options` and `allowText` of the request. */
export function plainAnswers(form: Form): {
  readonly options: readonly PermissionOption[];
  readonly allowText?: true;
} {
  const { chosen, written } = plainFields(form);
  const choices = chosen === undefined ? [] : chosen.kind === 'boolean' ? [YES, NO] : chosen.choices;
  return { options: [...choices, SKIP, DECLINE], ...(written && { allowText: true }) };
}

/** The only choice and the only text of a form, where everything else may be left out. */
function plainFields({ fields }: Form) {
  const isRestOptional = (one: FormField) => fields.every((other) => other === one || other.optional === true);
  const chosen = fields.filter((one) => one.kind === 'choice' || one.kind === 'boolean');
  const written = fields.filter((one) => one.kind === 'text');
  return {
    chosen: chosen.length === 1 && chosen[0] && isRestOptional(chosen[0]) ? chosen[0] : undefined,
    written: written.length === 1 && written[0] && isRestOptional(written[0]) ? written[0] : undefined,
  };
}

/** What an answer means for the form, also that of a client that shows no forms. */
export function formAnswerOf(form: Form, { approved, optionId, text, values, secrets }: SentAnswer): FormAnswer {
  const nothing = { values: {}, secrets: {} };
  if (!approved) return { outcome: 'declined', ...nothing };
  if (values || secrets) return { outcome: 'answered', values: values ?? {}, secrets: secrets ?? {} };
  const { chosen, written } = plainFields(form);
  const option = optionId === undefined || optionId === SKIP.id ? undefined : optionId;
  const plain: FormValues = {
    ...(chosen && option !== undefined && { [chosen.id]: chosen.kind === 'boolean' ? option === YES.id : option }),
    ...(written && text !== undefined && { [written.id]: text }),
  };
  const outcome = Object.keys(plain).length > 0 ? 'answered' : 'skipped';
  return { outcome, values: plain, secrets: {} };
}

/** The values of a form that was filled in, with the secrets apart as the action has them. Empty texts and lists are left out. */
export function filledForm({ fields }: Form, filled: FormValues): { values: FormValues; secrets?: FormSecrets } {
  const given = Object.entries(filled).filter(([, value]) => !isEmpty(value));
  const isSecret = (id: string) => fields.some((field) => field.id === id && field.kind === 'secret');
  const secrets = given.filter(([id]) => isSecret(id)).map(([id, value]) => [id, String(value)] as const);
  const values = given.filter(([id]) => !isSecret(id));
  return {
    values: Object.fromEntries(values),
    ...(secrets.length > 0 && { secrets: Object.fromEntries(secrets) }),
  };
}

/** The first value that does not fit the form, or that is missing. */
export function formProblem(
  { fields }: Form,
  { values, secrets }: Pick<FormAnswer, 'values' | 'secrets'>,
): FieldProblem | undefined {
  for (const field of Object.keys({ ...values, ...secrets })) {
    const found = fields.find(({ id }) => id === field);
    if (!found) return { field, problem: 'The form has no such field.' };
    if ((found.kind === 'secret') !== Object.hasOwn(secrets, field))
      return { field, problem: 'Secrets are sent in `secrets`, everything else in `values`.' };
  }
  for (const field of fields) {
    const problem = fieldProblem(field, ownValue(field.kind === 'secret' ? secrets : values, field.id));
    if (problem !== undefined) return { field: field.id, problem };
  }
  return undefined;
}

/** Why a value is no answer to the field; `undefined` where it is. */
export function fieldProblem(field: FormField, value: FormValue | undefined): string | undefined {
  if (value === undefined || isEmpty(value)) {
    const isNeeded = field.optional !== true && !(field.kind === 'choices' && field.min === 0);
    return isNeeded ? missing(field) : undefined;
  }
  switch (field.kind) {
    case 'choice':
      return field.choices.some(({ id }) => id === value) ? undefined : 'Choose one of the choices.';
    case 'choices':
      return choicesProblem(field, value);
    case 'number':
      return numberProblem(field, value);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Say yes or no.';
    case 'text':
    case 'secret':
      return textProblem(field, value);
  }
}

function missing({ kind }: FormField): string {
  if (kind === 'choice') return 'Choose one.';
  if (kind === 'choices') return 'Choose at least one.';
  return kind === 'boolean' ? 'Say yes or no.' : 'Fill this in.';
}

function choicesProblem(
  { choices, min = 0, max = choices.length }: Extract<FormField, { kind: 'choices' }>,
  value: FormValue,
): string | undefined {
  if (!Array.isArray(value)) return 'Choose from the choices.';
  const chosen = new Set<string>(value);
  const isKnown = [...chosen].every((one) => choices.some(({ id }) => id === one));
  if (!isKnown || chosen.size < value.length) return 'Choose from the choices, each once.';
  if (chosen.size < min) return `Choose at least ${min}.`;
  return chosen.size > max ? `Choose at most ${max}.` : undefined;
}

function numberProblem(
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, integer }: Extract<FormField, { kind: 'number' }>,
  value: FormValue,
): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'Write a number.';
  if (integer && !Number.isInteger(value)) return 'Write a whole number.';
  if (value < min) return `It is at least ${min}.`;
  return value > max ? `It is at most ${max}.` : undefined;
}

function textProblem(field: Extract<FormField, { kind: 'text' | 'secret' }>, value: FormValue): string | undefined {
  if (typeof value !== 'string') return 'Write a text.';
  const { minLength = 0, maxLength = MAX_FORM_TEXT } = field;
  if (value.length < minLength) return `Write at least ${minLength} characters.`;
  if (value.length > maxLength) return `Write at most ${maxLength} characters.`;
  const format = field.kind === 'text' ? field.format : undefined;
  return format && !FORMATS[format].is(value) ? FORMATS[format].problem : undefined;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?$/;

/** Every pattern takes time in proportion to the text, however it is written. */
const FORMATS = {
  email: { is: isEmail, problem: 'Write an e-mail address.' },
  uri: {
    is: (text: string) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text),
    problem: 'Write an address, as https://example.com.',
  },
  date: {
    is: (text: string) => DATE.test(text) && !Number.isNaN(Date.parse(text)),
    problem: 'Write a date, as 2026-11-18.',
  },
  'date-time': {
    is: (text: string) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
    problem: 'Write a date and a time, as 2026-11-18T13:00:00Z.',
  },
};

function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  return at > 0 && at === text.lastIndexOf('@') && at < text.length - 1 && !/\s/.test(text);
}

function isEmpty(value: FormValue): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

/** An answer in words, as the turn keeps it. Of a secret it says only that there is one. */
export function formAnswerText({ fields }: Form, { values, secrets }: Pick<FormAnswer, 'values' | 'secrets'>): string {
  const said = fields.flatMap((field) => {
    if (field.kind === 'secret') return Object.hasOwn(secrets, field.id) ? [`${nameOf(field)}: ${SECRET_SHOWN}`] : [];
    const value = ownValue(values, field.id);
    return value === undefined || isEmpty(value) ? [] : [valueText(field, value)];
  });
  return said.join(', ');
}

function valueText(field: FormField, value: FormValue): string {
  const choice = (id: unknown) =>
    'choices' in field ? (field.choices.find((choice) => choice.id === id)?.label ?? String(id)) : String(id);
  if (Array.isArray(value)) return value.map(choice).join(', ');
  if (field.kind === 'boolean') return `${nameOf(field)}: ${value === true ? 'Yes' : 'No'}`;
  return field.kind === 'number' ? `${nameOf(field)}: ${value}` : choice(value);
}

/** "How often?" is the name of "How often: 3". */
function nameOf({ label }: FormField): string {
  return label.replace(/[?:]$/, '');
}

/** The action as everybody may see it: it says which secrets were given, not what they are. */
export function withoutSecrets<T extends { readonly secrets?: FormSecrets }>(action: T): T {
  const { secrets } = action;
  if (!secrets || Object.values(secrets).every((secret) => secret === '')) return action;
  return { ...action, secrets: Object.fromEntries(Object.keys(secrets).map((id) => [id, ''])) };
}

/** The values that a form begins with. */
export function formDefaults({ fields }: Form): FormValues {
  const given = fields.flatMap((field) =>
    'default' in field && field.default !== undefined ? [[field.id, field.default] as const] : [],
  );
  return Object.fromEntries(given);
}
