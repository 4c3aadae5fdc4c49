import { DiffView } from '../../diff/DiffView.js';
import type { InputDiff } from '../../diff/inputDiffs.js';
import { Delta } from '../turn/DiffCard.js';

/** So many lines leave room for the answer on one screen; the others are one click away. */
const FIRST_LINES = 14;

/** The change that is asked about, in colours. */
export function EditDiffs({ diffs }: { readonly diffs: readonly InputDiff[] }) {
  return diffs.map(({ path, diff, insertions, deletions, isFragment }, index) => (
    <div key={index} className="ask-diff">
      <div className="ask-diff-h">
        <span className="mono clip grow" title={path}>
          {path}
        </span>
        <Delta insertions={insertions} deletions={deletions} />
      </div>
      <DiffView diff={diff} path={path} first={FIRST_LINES} isFragment={isFragment} />
    </div>
  ));
}
