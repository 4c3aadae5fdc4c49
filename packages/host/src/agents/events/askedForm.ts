import type { Form, PermissionRequest } from '@agenthost/protocol';
import { MAX_FORM_LENGTH, plainAnswers, RESERVED_CHOICE } from '@agenthost/protocol/internal';
import { SCHEMAS } from '@agenthost/protocol/schemas';
import { FIRST_ISSUE } from '../../describeIssues.js';

/** A question must not wait for ever for a form that no client can show. */
const NOT_SHOWN = [
  { id: `${RESERVED_CHOICE}skip`, label: 'Skip', description: 'The agent decides.' },
  { id: `${RESERVED_CHOICE}decline`, label: 'Decline', kind: 'deny' },
] as const;

/** The form of a question as clients get it, with what those answer who show no forms. An invalid one is left out. */
export function askedForm(asked: Form): Pick<PermissionRequest, 'form' | 'options' | 'allowText'> {
  const parsed = SCHEMAS.Form.safeParse(asked, FIRST_ISSUE);
  if (!parsed.success || !isSound(parsed.data)) return { options: NOT_SHOWN };
  return { form: parsed.data, ...plainAnswers(parsed.data) };
}

function isSound(form: Form): boolean {
  const isUnique = (ids: readonly string[]) => new Set(ids).size === ids.length;
  if (!isUnique(form.fields.map(({ id }) => id)) || JSON.stringify(form).length > MAX_FORM_LENGTH) return false;
  return form.fields.every((field) => {
    if (!('choices' in field)) return true;
    const ids = field.choices.map(({ id }) => id);
    return isUnique(ids) && !ids.some((id) => id.startsWith(RESERVED_CHOICE));
  });
}
