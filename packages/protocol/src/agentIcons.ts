/**
 * Names of plain shapes that agents are told apart by. Names and no pictures: a client draws them in its own way and size, and
 * nothing that an agent brings is ever decoded.
 */
export const AGENT_ICONS = [
  'asterisk',
  'bot',
  'box',
  'braces',
  'brain',
  'chip',
  'cloud',
  'flask',
  'leaf',
  'rocket',
  'sparkle',
  'star',
  'terminal',
  'wrench',
] as const;

export type AgentIcon = (typeof AGENT_ICONS)[number];
