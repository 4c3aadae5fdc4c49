import type { AgentIcon as Shape } from '@agenthost/protocol';
import {
  Asterisk,
  Bot,
  Braces,
  Brain,
  Cloud,
  Cpu,
  FlaskConical,
  Hexagon,
  Leaf,
  type LucideIcon,
  Rocket,
  Sparkle,
  SquareTerminal,
  Star,
  Wrench,
} from 'lucide-react';

/** Neutral shapes, no logos. */
const ICONS: Readonly<Record<Shape, LucideIcon>> = {
  asterisk: Asterisk,
  bot: Bot,
  box: Hexagon,
  braces: Braces,
  brain: Brain,
  chip: Cpu,
  cloud: Cloud,
  flask: FlaskConical,
  leaf: Leaf,
  rocket: Rocket,
  sparkle: Sparkle,
  star: Star,
  terminal: SquareTerminal,
  wrench: Wrench,
};

/** The shape that the host names; without one, or with an unknown one, the default shape. */
export function AgentIcon({ icon, size = 13 }: { readonly icon: string | undefined; readonly size?: number }) {
  const Icon = icon !== undefined && Object.hasOwn(ICONS, icon) ? ICONS[icon as Shape] : ICONS.chip;
  return <Icon size={size} strokeWidth={2} aria-hidden />;
}
