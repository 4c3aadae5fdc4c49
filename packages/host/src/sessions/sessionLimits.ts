/** Ended turns that the host keeps in memory for each loaded session; snapshots can't have more. */
export const TURNS_IN_MEMORY = 200;

/** Clients whose accepted `clientSeq` a session remembers, and how many of each at least. */
export const MAX_ACCEPTED_CLIENTS = 1_000;
export const MAX_RECENTLY_ACCEPTED = 64;

/** Clients named in `clients`; more look on unnamed. */
export const MAX_LISTED_CLIENTS = 50;

/** How long an aborted agent may take to become idle before its process is ended. */
export const ABORT_GRACE_MS = 5_000;

/** At most this often a second, a session's changed summary is told to everybody. */
export const SUMMARY_NOTIFICATIONS_PER_SECOND = 10;

/** A title that is made from a message. */
export const MAX_DERIVED_TITLE = 80;

/** How long a start, or a list, waits for an index that is being filled; then it goes on with what is there. */
export const INDEX_PATIENCE_MS = 2_000;
