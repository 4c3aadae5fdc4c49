import { Asterisk, Bot, Box, Braces, Cpu, FlaskConical, type LucideIcon, Sparkle, SquareTerminal } from 'lucide-react';

/** Neutral shapes, no logos. An agent that isn't known here gets a chip of its own. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  asterisk: Asterisk,
  bot: Bot,
  box: Box,
  braces: Braces,
  flask: FlaskConical,
  sparkle: Sparkle,
  terminal: SquareTerminal,
};

export function AgentIcon({ icon, size = 13 }: { readonly icon: string | undefined; readonly size?: number }) {
  const Icon = (icon !== undefined && Object.hasOwn(ICONS, icon) ? ICONS[icon] : undefined) ?? Cpu;
  return <Icon size={size} strokeWidth={2} aria-hidden />;
}
