/** One program each, in the order in which they run. */
export const MEASURES = {
  fanout: 'envelopes delivered to 1, 10, 100 and 1,000 subscribers, and the CPU time of each',
  watching: 'what figures and telemetry cost at 100 subscribers',
  echo: 'how long an action takes to its log and back, p50 and p99, 1 and 100 subscribers',
  terminal: 'how long a key takes to a shared terminal and back',
  longTurn: 'what a delta, a part, a notice and a tool call cost after 100,000 of them in one turn',
  open: 'opening a session of 100,000 events',
  list: 'lists and searches of 100,000 sessions, on a folder and on PostgreSQL',
  native: 'lists of 10,000 sessions of terminals, the first and the next',
  work: 'the changes of a session and a snapshot, in a repository of 10,000 files',
  listeners: 'what it costs to tell 500 clients of changes in their lists, and 5,000 at three hosts',
  start: 'start to listening with 10,000 sessions on disk',
  memory: 'idle, after a flood, cold sessions, and a soak (--minutes 10 for a long one)',
  storm: 'a thousand clients that come back at once',
  neighbours: 'what others notice of clients that do not read and of agents that are killed',
  openSessions: 'what an envelope costs while 1,000 sessions are open',
  cluster: 'how long an action takes with a database, at its owner and through another host',
  page: 'the page in a real browser',
} as const;

export type MeasureName = keyof typeof MEASURES;
