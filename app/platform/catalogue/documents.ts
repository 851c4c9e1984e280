export const DEFAULT_CATEGORIES = [
  "Uncategorized",
  "Inventory",
  "Products",
  "Customers",
  "Vendors",
  "Service",
  "Finance",
  "Management",
] as const;

/** The only collection; calls may name it. */
export const DOCUMENTS_COLLECTION = "documents";

export const DOCUMENT_TYPES = ["text", "url", "file"] as const;

// SQLite folds ASCII letters only.
const foldName = (name: string) => name.trim().normalize("NFC").toLocaleLowerCase("en-US");

export const isSameCategory = (one: string, other: string): boolean => foldName(one) === foldName(other);
