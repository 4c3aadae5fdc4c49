import {
  Asterisk,
  Bot,
  Braces,
  Cpu,
  FlaskConical,
  Hexagon,
  type LucideIcon,
  Sparkle,
  SquareTerminal,
} from 'lucide-react';

/** Neutral shapes, no logos. An agent that isn't known here gets a chip of its own. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  claude: Asterisk,
  codex: Hexagon,
  copilot: Bot,
  gemini: Sparkle,
  mock: FlaskConical,
  opencode: Braces,
  shell: SquareTerminal,
};

export function AgentIcon({ icon, size = 13 }: { readonly icon: string | undefined; readonly size?: number }) {
  const Icon = (icon !== undefined && Object.hasOwn(ICONS, icon) ? ICONS[icon] : undefined) ?? Cpu;
  return <Icon size={size} strokeWidth={2} aria-hidden />;
}
