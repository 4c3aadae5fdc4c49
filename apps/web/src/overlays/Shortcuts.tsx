import { Fragment } from 'react';
import { CloseButton } from '../controls/CloseButton.js';
import { Dialog } from './Dialog.js';

const GROUPS: readonly (readonly [string, readonly (readonly [string, readonly string[]])[]])[] = [
  [
    'Anywhere',
    [
      ['Command palette', ['Ctrl', 'K']],
      ['New session', ['N']],
      ['Needs input', ['I']],
      ['Search', ['/']],
      ['Show or hide the list', ['[']],
      ['Undo archive or delete', ['Z']],
      ['This sheet', ['?']],
    ],
  ],
  [
    'Session list',
    [
      ['Next, previous', ['J', 'K']],
      ['Open', ['↵']],
      ['Select for bulk', ['Space']],
      ['Archive', ['E']],
      ['Mark unread', ['U']],
      ['Fold workspace', ['←', '→']],
    ],
  ],
  [
    'Conversation',
    [
      ['Write', ['C']],
      ['Next, previous turn', ['J', 'K']],
      ['Jump to newest', ['G']],
      ['Review changes', ['D']],
      ['Open a file', ['O']],
      ['Fork', ['F']],
      ['Rename', ['R']],
      ['Show or hide terminals', ['Ctrl', '`']],
    ],
  ],
  [
    'Review',
    [
      ['Next, previous change', ['J', 'K']],
      ['Next, previous file', ['N', 'P']],
      ['Next, previous line', ['↓', '↑']],
      ['Accept, revert', ['A', 'X']],
      ['Comment', ['C']],
      ['Viewed', ['V']],
      ['Unified or side by side', ['U']],
      ['Send the comments', ['Ctrl', '↵']],
      ['Back', ['Esc']],
    ],
  ],
  [
    'Composer',
    [
      ['Send, or queue', ['↵']],
      ['New line', ['Shift', '↵']],
      ['Steer the running turn', ['Ctrl', '↵']],
      ['Next mode of the agent', ['Shift', 'Tab']],
      ['Edit last queued', ['↑']],
      ['Stop the turn', ['Esc', 'Esc']],
    ],
  ],
  [
    'Queue',
    [
      ['Pick up, put down', ['Space']],
      ['Move', ['↑', '↓']],
      ['Edit', ['↵']],
      ['Remove', ['Del']],
    ],
  ],
  [
    'Confirmation',
    [
      ['Allow once', ['Y']],
      ['Always in this session', ['S']],
      ['Deny', ['X']],
      ['No, because…', ['B']],
      ['Edit the command', ['Tab']],
    ],
  ],
];

interface ShortcutsProps {
  readonly singleLetters: boolean;
  readonly onSingleLetters: (on: boolean) => void;
  readonly onClose: () => void;
}

export function Shortcuts({ singleLetters, onSingleLetters, onClose }: ShortcutsProps) {
  return (
    <Dialog label="Keyboard shortcuts" className="keys" onClose={onClose} focusSelf>
      <div className="keys-h">
        <h2>Keyboard shortcuts</h2>
        <CloseButton onClose={onClose} />
      </div>
      <div className="keys-b">
        {GROUPS.map(([name, keys]) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl>
              {keys.map(([what, strokes]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>
                    {strokes.map((stroke, index) => (
                      <Fragment key={index}>
                        <kbd>{stroke}</kbd>
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className="keys-f">
        <span>On a Mac, use ⌘ instead of Ctrl.</span>
        <label className="toggle">
          Single-letter shortcuts
          <input type="checkbox" checked={singleLetters} onChange={(event) => onSingleLetters(event.target.checked)} />
        </label>
      </div>
    </Dialog>
  );
}
