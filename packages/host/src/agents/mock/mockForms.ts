import type { Form, PermissionRequest } from '@agenthost/protocol';
import type { MockTurn } from './mockTurn.js';

const FLOW: Form['fields'][number] = {
  kind: 'choice',
  id: 'flow',
  label: 'Which payment flow should stay?',
  choices: [
    { id: 'redirect', label: 'Redirect', description: 'Works everywhere, one page more' },
    { id: 'embedded', label: 'Embedded form', description: 'Fewer steps, needs the new key' },
    { id: 'both', label: 'Both, behind a flag', description: 'About 200 lines more to keep' },
  ],
};

const BUTTON: Form['fields'][number] = {
  kind: 'text',
  id: 'button',
  label: 'What should the button say?',
  optional: true,
  maxLength: 40,
};

const REGIONS = Array.from({ length: 12 }, (_, n) => ({ id: `region-${n + 1}`, label: `Region ${n + 1}` }));

type Asked = Pick<PermissionRequest, 'title' | 'message'> & { readonly form: Form };

const FORMS: Readonly<Record<string, Asked>> = {
  '': { title: 'Two questions', message: '', form: { fields: [FLOW, BUTTON] } },
  long: {
    title: 'Where does it run?',
    message: '',
    form: { fields: [{ kind: 'choice', id: 'region', label: 'Region', choices: REGIONS }] },
  },
  all: {
    title: 'Set up the deployment',
    message: 'It is done once for the project.',
    form: {
      fields: [
        FLOW,
        {
          kind: 'choices',
          id: 'checks',
          label: 'Which checks run before it?',
          choices: [
            { id: 'lint', label: 'Lint' },
            { id: 'tests', label: 'Tests' },
            { id: 'bench', label: 'Benchmarks' },
          ],
          min: 1,
          max: 2,
          default: ['tests'],
        },
        { kind: 'text', id: 'mail', label: 'Who is told?', format: 'email', optional: true },
        {
          kind: 'number',
          id: 'retries',
          label: 'How often is it tried again?',
          min: 0,
          max: 5,
          integer: true,
          default: 2,
        },
        { kind: 'boolean', id: 'staging', label: 'To the staging system first?' },
        { kind: 'secret', id: 'token', label: 'Deploy token', description: 'Only the agent gets it.', minLength: 4 },
      ],
    },
  },
};

/** Says what it was answered. Of a secret it says the length only, so that tests can look for it everywhere else. */
export async function askForm(turn: MockTurn, argument: string): Promise<void> {
  const asked = Object.hasOwn(FORMS, argument) ? FORMS[argument] : FORMS[''];
  if (!asked) return;
  const requestId = crypto.randomUUID();
  const answered = turn.answer(requestId);
  turn.emit({ type: 'permissionRequest', request: { requestId, kind: 'question', ...asked } });
  const { approved, values } = await answered;
  if (!approved) return turn.text('You declined.');
  if (!values) return turn.text('You skipped it, so I decide.');
  const { token, ...rest } = values;
  const secret = token === undefined ? '' : ` and a secret of ${String(token).length} characters`;
  turn.text(`You answered: ${JSON.stringify(rest)}${secret}`);
}
