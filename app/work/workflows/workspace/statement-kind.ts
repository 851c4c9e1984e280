/** The driver refuses several statements, so the first keyword decides. */
const READS = new Set(["SELECT", "VALUES", "WITH", "EXPLAIN"]);
const CHANGES = new Set(["INSERT", "UPDATE", "DELETE", "REPLACE"]);
const DEFINITIONS = new Set(["CREATE", "ALTER", "DROP"]);
const DEFINED = new Set(["TABLE", "INDEX", "VIEW"]);
/** Between CREATE and the object's kind. */
const QUALIFIERS = new Set(["TEMP", "TEMPORARY", "UNIQUE"]);

/** Names a switch of the step. */
export const WRITE_ACCESS_HINT = "Turn on Write access to run it.";

/** Without comments. */
function keywords(sql: string, count: number): string[] {
  const keywords: string[] = [];
  const next = /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|([A-Za-z_]+)/y;
  while (keywords.length < count) {
    const match = next.exec(sql);
    if (!match) break;
    if (match[1]) keywords.push(match[1].toUpperCase());
  }
  return keywords;
}

/**
 * Reason why a statement may not run on the workspace database; undefined if it may.
 *
 * @param remedy advice about a statement that changes data
 */
export function refuseStatement(sql: string, write: boolean, remedy = WRITE_ACCESS_HINT): string | undefined {
  // It would tell where the data folder lies.
  if (/database_list/i.test(sql)) return "database_list isn't available here.";
  const [first = "", ...rest] = keywords(sql, 4);
  if (READS.has(first)) return undefined;
  if (CHANGES.has(first)) return write ? undefined : `${first} changes data. ${remedy}`;
  if (DEFINITIONS.has(first)) {
    const subject = rest.find((word) => !QUALIFIERS.has(word)) ?? "";
    if (!DEFINED.has(subject)) return `${first} ${subject} isn't allowed. Use TABLE, INDEX or VIEW.`;
    return write ? undefined : `${first} ${subject} changes data. ${remedy}`;
  }
  return first ? `${first} isn't allowed here.` : "Begin the statement with a keyword such as SELECT.";
}
