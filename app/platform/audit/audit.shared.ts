export const EXPORT_FORMATS = ["csv", "json", "ndjson"] as const;

export const ACTION_FILTERS = ["all", "user", "provider", "document", "workflow", "extension"] as const;

export const DATE_RANGES = { "1d": 1, "7d": 7, "30d": 30, "90d": 90, all: undefined } as const;

export type DateRange = keyof typeof DATE_RANGES;

/** Maximum span of one search, as a multiple of a page's. */
export const MAX_DEPTH = 5;

/** Reasons why the end of the trail can't be verified, by code. */
export const TRAIL_FAULTS = {
  head_missing:
    "The file audit.head is missing from the data folder, so entries may have been removed from the end of the audit trail.",
  head_damaged:
    "The file audit.head is damaged or was signed with another key, so entries may have been removed from the end of the audit trail.",
  entries_missing:
    "The newest entry recorded in audit.head is missing: entries were removed from the end of the audit trail, or an older copy of the database was restored.",
  other_start:
    "The database is of another moment than audit.head: a replica, a backup or a copy of it was put in its place. The command audit:adopt takes its audit trail over.",
  unclean_end:
    "The database lacks the newest entry recorded in audit.head, after which the console didn't end in order: as after it was cut off and a replica was restored, whose audit trail audit:adopt takes over. If nobody restored it, entries were removed from the end.",
  checkpoint_damaged:
    "A checkpoint of the audit trail was altered or signed with another key, so entries before it may have been removed.",
} as const;
export type TrailFault = keyof typeof TRAIL_FAULTS;
