export const EXPORT_FORMATS = ["csv", "json", "ndjson"] as const;

export const ACTION_FILTERS = ["all", "user", "provider", "document", "workflow", "extension"] as const;

export const DATE_RANGES = { "1d": 1, "7d": 7, "30d": 30, "90d": 90, all: undefined } as const;

export type DateRange = keyof typeof DATE_RANGES;

/** Maximum span of one search, as a multiple of a page's. */
export const MAX_DEPTH = 5;
