import { ChevronDown, ChevronUp } from 'lucide-react';

interface FoldButtonProps {
  readonly folded: boolean;
  readonly onFold: (folded: boolean) => void;
}

/** On a phone a prompt is a sheet over the conversation: folding it allows to read and write. */
export function FoldButton({ folded, onFold }: FoldButtonProps) {
  const Chevron = folded ? ChevronUp : ChevronDown;
  return (
    <button
      type="button"
      className="ib sm phone-only"
      aria-label={folded ? 'Show the question' : 'Fold the question'}
      aria-expanded={!folded}
      onClick={() => onFold(!folded)}
    >
      <Chevron size={16} aria-hidden />
    </button>
  );
}
