import { Check, Copy, type LucideIcon } from 'lucide-react';
import { useEffect, useState } from 'react';

export function CopyButton({
  text,
  label,
  icon: Icon = Copy,
}: {
  readonly text: string | (() => Promise<string>);
  readonly label: string;
  readonly icon?: LucideIcon;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
    setCopied(true);
  };
  return (
    <button
      type="button"
      className="ib sm"
      aria-label={copied ? 'Copied' : label}
      title={label}
      onClick={() => void copy().catch(() => setCopied(false))}
    >
      {copied ? <Check size={14} aria-hidden /> : <Icon size={14} aria-hidden />}
    </button>
  );
}
