import { by } from '@agenthost/client/internal';
import type { FileEditResultContent, ToolCallState } from '@agenthost/protocol';
import { safeLine } from '../text/safeText.js';
import { GLYPH, type Style } from '../text/style.js';

/** A tool call in one line, in the present or the past tense. */
export function toolLine(call: ToolCallState, style: Style): string {
  const whose = ofClient(call);
  return whose === '' ? line(call, style) : `${line(call, style)}${style.dim(whose)}`;
}

/** Whose tool it is, where a client carries it out. */
export function ofClient({ clientName }: Pick<ToolCallState, 'clientName'>): string {
  return clientName === undefined ? '' : ` (tool of ${safeLine(clientName)})`;
}

function line(call: ToolCallState, style: Style): string {
  switch (call.status) {
    case 'pendingConfirmation':
      return `${style.needs(GLYPH.inputNeeded)} ${safeLine(call.confirmation.title ?? call.invocationMessage)}`;
    case 'running':
      return `${style.run(GLYPH.inProgress)} ${safeLine(call.invocationMessage)}`;
    case 'completed': {
      const { success, pastTenseMessage, error, content = [] } = call.result;
      const edits = content.filter((piece) => piece.type === 'fileEdit').map(delta);
      const why = success || !error ? '' : `: ${safeLine(error.message)}`;
      const glyph = success ? style.done(GLYPH.done) : style.error(GLYPH.error);
      return [`${glyph} ${safeLine(pastTenseMessage)}${why}`, ...edits.map((edit) => style.dim(edit))].join(' ');
    }
    case 'cancelled': {
      const why = call.reason ? `: ${safeLine(call.reason)}` : '';
      const what = call.cancelled === 'denied' ? `Denied${by(call.confirmed?.by)}` : 'Stopped';
      return `${style.dim('–')} ${what}${why}: ${safeLine(call.invocationMessage)}`;
    }
  }
}

function delta({ insertions, deletions }: FileEditResultContent): string {
  return `+${insertions} −${deletions}`;
}
