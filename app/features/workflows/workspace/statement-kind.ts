/** Kinds that may run; the driver refuses a second statement, so the first keyword decides. */
const READS = new Set(["SELECT", "VALUES", "WITH", "EXPLAIN"]);
const CHANGES = new Set(["INSERT", "UPDATE", "DELETE", "REPLACE"]);
const DEFINITIONS = new Set(["CREATE", "ALTER", "DROP"]);
const DEFINED = new Set(["TABLE", "INDEX", "VIEW"]);
/** May stand between CREATE and what is created. */
const QUALIFIERS = new Set(["TEMP", "TEMPORARY", "UNIQUE"]);

/** The first keywords of a statement, without comments. */
function keywords(sql: string, count: number): string[] {
  const found: string[] = [];
  const next = /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|([A-Za-z_]+)/y;
  while (found.length < count) {
    const match = next.exec(sql);
    if (!match) break;
    if (match[1]) found.push(match[1].toUpperCase());
  }
  return found;
}

/** Why a statement may not run on the workspace database; undefined where it may. */
export function refuseStatement(sql: string, write: boolean): string | undefined {
  const [first = "", ...rest] = keywords(sql, 4);
  if (READS.has(first)) return undefined;
  if (CHANGES.has(first)) return write ? undefined : `Turn on Allow changes to use ${first}.`;
  if (DEFINITIONS.has(first)) {
    const subject = rest.find((word) => !QUALIFIERS.has(word)) ?? "";
    if (!DEFINED.has(subject)) return `${first} ${subject} isn't allowed. Use TABLE, INDEX or VIEW.`;
    return write ? undefined : `Turn on Allow changes to use ${first} ${subject}.`;
  }
  return first ? `${first} isn't allowed here.` : "Begin the statement with a keyword such as SELECT.";
}
