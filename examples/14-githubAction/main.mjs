// The program of action.yml: Node and nothing else, over HTTP for scripts (docs/api.md).
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const input = (name) => process.env[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
const deadline = Date.now() + Number(input('minutes') || 30) * 60_000;
const authorization = `Bearer ${input('token')}`;

class Refused extends Error {}

/** Repeats a request until the host has answered it: with the key it happens once. */
async function ask(method, path, body) {
  const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  for (let wait = 250; ; wait = Math.min(wait * 2, 10_000)) {
    const signal = AbortSignal.timeout(60_000);
    const response = await fetch(new URL(path, input('host')), {
      ...{ method, headers, signal },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    const answer = await response?.json().catch(() => undefined);
    if (response?.status === 204 || (response?.ok && answer)) return answer;
    const isFinal = response && response.status < 500 && response.status !== 429 && response.status !== 409;
    if (isFinal) throw new Refused(`${response.status} ${answer?.detail ?? ''} ${answer?.whatToDo ?? ''}`.trim());
    if (Date.now() + wait > deadline) throw new Refused('the host could not be reached in time');
    await delay(wait);
  }
}

/** Of several lines, with an end that no answer can have. */
function output(name, value) {
  const end = randomUUID();
  if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

try {
  const { session } = await ask('POST', '/api/v1/sessions', { provider: input('agent') });
  output('session', session);
  const at = `/api/v1/sessions/${encodeURIComponent(session)}`;
  if (input('title')) await ask('PATCH', at, { title: input('title') });
  const { turnId } = await ask('POST', `${at}/messages`, { text: input('message') });
  for (let isTold = false; ; await delay(1_000)) {
    const { turns } = await ask('GET', `${at}/turns?limit=1`);
    const turn = turns.find(({ id }) => id === turnId);
    if (turn) {
      const answer = turn.responseParts.map(({ kind, content }) => (kind === 'markdown' ? content : '')).join('');
      output('answer', answer);
      if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, `${answer}\n`);
      if (turn.state === 'complete') break;
      throw new Refused(turn.error?.message ?? `the turn was ${turn.state}`);
    }
    const { items } = isTold ? { items: [] } : await ask('GET', `${at}/questions`);
    if (items.length > 0) console.log('::notice::The agent asks something: somebody has to answer it.');
    isTold ||= items.length > 0;
    if (Date.now() > deadline) throw new Refused('the answer did not come in time');
  }
} catch (error) {
  console.log(
    `::error::${String(error.message).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}`,
  );
  process.exitCode = 1;
}
