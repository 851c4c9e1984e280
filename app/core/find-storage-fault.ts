import type { StorageFault } from "./errors";

const MAX_CAUSES = 5;

const FAULTS: readonly (readonly [codes: RegExp, fault: StorageFault])[] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)$/, "disk_full"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "damaged"],
];

/** Codes of the system and of SQLite in an error and its causes; drivers wrap them. */
export function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  let current = error;
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSES; depth++) {
    if ("code" in current && typeof current.code === "string") codes.push(current.code);
    current = current.cause;
  }
  return codes;
}

export function findStorageFault(error: unknown): StorageFault | undefined {
  for (const code of codesOf(error)) {
    const fault = FAULTS.find(([codes]) => codes.test(code))?.[1];
    if (fault) return fault;
  }
  return undefined;
}
