/** Limits that both sides must agree on. Changing one of them changes what a reducer computes: it is a protocol change. */

/** Live tool output keeps this many UTF-16 code units from its start … */
export const TOOL_OUTPUT_HEAD = 8_192;
/** … and this many from its end. */
export const TOOL_OUTPUT_TAIL = 8_192;

/** Output, and an attachment's data, longer than this many bytes is stored as content and referred to. */
export const INLINE_CONTENT_LIMIT = 16_384;

/** So is a message's text longer than this many bytes. */
export const INLINE_MESSAGE_LIMIT = 65_536;

/** Turns in a snapshot when `subscribe.turns` is not given, and at the most. */
export const DEFAULT_SNAPSHOT_TURNS = 30;
export const MAX_SNAPSHOT_TURNS = 200;

/**
 * Parts of a turn in the state. A turn that gets more keeps the newest KEPT_TURN_PARTS of them, and those that are open:
 * many are dropped at once, so that no action costs more because of what came before it in its turn.
 */
export const MAX_TURN_PARTS = 256;
export const KEPT_TURN_PARTS = 192;
/** The same for the text of its parts and calls, in code units. It is counted with each TURN_LENGTH_STRIDE-th part only. */
export const MAX_TURN_LENGTH = 524_288;
export const KEPT_TURN_LENGTH = 262_144;
export const TURN_LENGTH_STRIDE = 8;
/** Text of one part, in code units: more of it goes into a new part. */
export const MAX_PART_LENGTH = 65_536;
/** Calls and permission requests of a turn that may be open at the same time. An agent that opens more ends its turn. */
export const MAX_OPEN_STEPS = 128;

/** Parts in one answer of `fetchParts`. */
export const MAX_PARTS_LIMIT = 200;

/** Events in one answer of `fetchEvents`. */
export const MAX_EVENTS_LIMIT = 500;

/** Webhooks of one host, of all spaces. */
export const MAX_WEBHOOKS = 20;
export const MAX_WEBHOOK_URL_LENGTH = 2_048;
/** Entries in one answer of `fetchAudit`. */
export const MAX_AUDIT_LIMIT = 200;

/** Bytes of turns in a snapshot, in an answer of `fetchTurns` or of `fetchParts`; the newest of them is there in any case. */
export const MAX_PAGE_BYTES = 1024 * 1024;
/** Bytes of all snapshots, or of the missed envelopes, in one answer of `initialize` or `reconnect`. */
export const MAX_RESYNC_BYTES = 4 * 1024 * 1024;

/** Rows of `listSessions` when `limit` is not given, and at the most; there are fewer where they have more than MAX_PAGE_BYTES. */
export const DEFAULT_LIST_LIMIT = 50;
export const MAX_LIST_LIMIT = 500;

/** Text of one `session/toolInput`, in code units. */
export const MAX_TYPED_LENGTH = 16_384;

/** The last time that a `Date` can hold, in milliseconds since 1970. */
export const MAX_TIMESTAMP = 8_640_000_000_000_000;

export const MAX_FRAME_BYTES = 4 * 1024 * 1024;
export const MAX_JSON_DEPTH = 64;
/** Values in a frame of a client, nested ones and keys included; a list or an object counts for two more. What a frame costs depends on them. */
export const MAX_JSON_VALUES = 65_536;

/** Bytes in one answer of `fetchContent`; base64 of it still fits into a frame. */
export const MAX_CONTENT_RANGE = 1024 * 1024;

/** Artifacts in one answer of `listArtifacts` when `limit` is not given, and at the most. */
export const DEFAULT_ARTIFACTS_LIMIT = 100;
export const MAX_ARTIFACTS_LIMIT = 500;
/** Files in one page of `listChanges`. */
export const MAX_CHANGES_LIMIT = 500;
/** Files of each comparison in the state of the changes, and their paths, in code units: `listChanges` has all. */
export const MAX_SHOWN_CHANGES = 200;
export const MAX_SHOWN_CHANGES_LENGTH = 131_072;
/** Hunks in one `revertChanges`. */
export const MAX_REVERTED_HUNKS = 1_000;
/** Review comments of a session, all of them as JSON, the text of one, and the code that it quotes, in code units. */
export const MAX_COMMENTS = 200;
export const MAX_COMMENTS_LENGTH = 262_144;
export const MAX_COMMENT_LENGTH = 4_000;
export const MAX_QUOTE_LENGTH = 2_000;
/** Sessions that are sent the same prompt to be compared. */
export const MAX_SEVERAL = 8;
/** The command of a project's tests, and the end of what it printed, in code units. */
export const MAX_TEST_COMMAND = 2_000;
export const MAX_TEST_OUTPUT = 8_192;
/** Paths in one `restoreFiles`. */
export const MAX_RESTORED_PATHS = 1_000;
/** Paths in one `commitChanges`, and its message, in code units. */
export const MAX_COMMITTED_PATHS = 1_000;
export const MAX_COMMIT_MESSAGE = 65_536;
/** Of a file as it was: it must fit into a frame as base64. */
export const MAX_VERSION_BYTES = 2 * 1024 * 1024;
/** Branches that a folder's description names. */
export const MAX_BRANCHES = 1_000;
/** The name of a branch or a remote. */
export const MAX_REF_NAME = 250;

/** Entries in one page of `listFolder`; files in one answer of `findFiles`, and its query; paths in one `checkFiles`. */
export const MAX_FOLDER_LIMIT = 500;
export const MAX_FOUND_FILES = 200;
export const MAX_QUERY_LENGTH = 256;
export const MAX_CHECKED_PATHS = 100;
/** Bytes in one answer of `readFile`: of text, which grows when it is escaped, and as base64. */
export const MAX_FILE_TEXT_PAGE = 262_144;
export const MAX_FILE_BYTES_PAGE = 1_048_576;

/** Turns in one call of `importSession`, and in a session that is imported. */
export const MAX_IMPORTED_TURNS = 1_000;
export const MAX_IMPORTED_SESSION_TURNS = 1_000_000;
/** Pieces of content in one call of `importSession`. */
export const MAX_IMPORTED_CONTENTS = 100;

/** Columns and rows of a terminal, and what is typed into it at once, in code units. */
export const MAX_TERMINAL_SIZE = 500;
export const MAX_LOGIN_INPUT = 16_384;
export const MAX_TERMINAL_INPUT = 65_536;
/** Shared terminals of a session, and of a host. */
export const MAX_SESSION_TERMINALS = 6;
export const MAX_HOST_TERMINALS = 24;
/** What is kept of a terminal's output, in code units. */
export const MAX_TERMINAL_SCROLLBACK = 262_144;
/** Output that a client may have left unconfirmed, in code units. */
export const MAX_TERMINAL_UNCONFIRMED = 1_048_576;

export const MAX_ID_LENGTH = 256;
export const MAX_DEVICE_NAME_LENGTH = 64;
/** How long a read-only link to a session works. */
export const MIN_SHARE_MS = 1_000;
export const MAX_SHARE_MS = 30 * 24 * 60 * 60 * 1000;
export const MAX_URI_LENGTH = 4_096;
export const MAX_TITLE_LENGTH = 1_000;
/** How deep calls of sub-agents are nested; a call at the top level has the depth 0. */
export const MAX_CALL_DEPTH = 4;
export const MAX_TEXT_LENGTH = 1_000_000;
/** What a session is made with, as JSON, in code units. Its metadata is in every list and every snapshot. */
export const MAX_METADATA_LENGTH = 16_384;
export const MAX_CONFIG_LENGTH = 262_144;
export const MAX_ATTACHMENTS = 64;
export const MAX_ATTACHMENT_DATA_LENGTH = 3_000_000;
export const MAX_QUEUED_MESSAGES = 100;
/** Steering messages that others displaced into the queue have room beyond that, so that a full queue refuses no steering. */
export const MAX_DISPLACED_MESSAGES = 100;
/** Standing approvals of a session; the oldest are no longer listed. */
export const MAX_APPROVALS = 100;
export const MAX_COMMANDS = 200;
/** Settings of a session, values of one of them, and all of them as JSON, in code units: they are in every snapshot. */
export const MAX_SETTINGS = 16;
export const MAX_SETTING_VALUES = 64;
export const MAX_SETTINGS_LENGTH = 16_384;

/** What a turn remembers of answered questions: how many, and of a written answer its beginning. */
export const MAX_ANSWERED_PERMISSIONS = 100;
export const MAX_ANSWER_KEPT = 1_000;

/** Fields of a form, choices of one of them, a text in it or in its answer, and the form as JSON, in code units. */
export const MAX_FORM_FIELDS = 20;
export const MAX_FORM_CHOICES = 200;
export const MAX_FORM_TEXT = 10_000;
export const MAX_FORM_LENGTH = 65_536;

export const MAX_SUBSCRIPTIONS = 256;

/** Tools that a client, and all clients together, can offer in a session. */
export const MAX_CLIENT_TOOLS = 64;
export const MAX_SESSION_TOOLS = 128;
export const MAX_TOOL_NAME_LENGTH = 48;
export const MAX_TOOL_DESCRIPTION_LENGTH = 4_096;
/** Of each description the state has the beginning. */
export const MAX_SHOWN_DESCRIPTION_LENGTH = 200;
/** As JSON, in code units: the schema of one tool, what a call is given, and what it answers. */
export const MAX_TOOL_SCHEMA_LENGTH = 16_384;
export const MAX_TOOL_INPUT_LENGTH = 262_144;
export const MAX_TOOL_RESULT_LENGTH = 1_048_576;
export const MAX_TOOL_RESULT_ITEMS = 32;

/** Sessions that a client which keeps their files can name in `sessionFs.setProvider`. */
export const MAX_PROVIDED_SESSIONS = 50_000;

/** Characters of the address that a push service gave a browser. */
export const MAX_PUSH_ENDPOINT_LENGTH = 2_048;
/** Bytes of a message that is pushed to a device, before it is encrypted. */
export const MAX_PUSH_BYTES = 3_072;
