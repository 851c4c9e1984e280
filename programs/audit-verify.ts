import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { closeDatabase, setDatabase } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { TRAIL_FAULTS } from "~/platform/audit/audit.shared";
import { type ChainVerdict, verifyChainHere } from "~/platform/audit/verify.service.server";
import { assertSupportedNode } from "../scripts/node-version.mjs";

// `npm run audit:verify`: read-only check of a data folder's audit trail, also while the console runs.

const time = (at: number | undefined) => (at === undefined ? "unknown time" : new Date(at).toISOString());
const counted = (entries: number) => `${entries} ${entries === 1 ? "entry" : "entries"}`;

const droppedNote = (upTo: number | undefined) =>
  upTo === undefined ? [] : [`Entries up to ${upTo} were dropped at a checkpoint, which is signed.`];

function describe({ entries, brokenAt, brokenTime, lastTime, fault, droppedUpTo }: ChainVerdict): string[] {
  const upTo = entries > 0 ? `, the last from ${time(lastTime)}` : "";
  if (fault) {
    const at = brokenAt === undefined ? "" : ` First place in doubt: entry ${brokenAt}.`;
    return [
      `BROKEN at the ${fault === "checkpoint_damaged" ? "beginning" : "end"}. ${TRAIL_FAULTS[fault]}${at}`,
      `Intact: ${counted(entries)}${upTo}.`,
    ];
  }
  if (brokenAt !== undefined) {
    const found = `the entry found there is from ${time(brokenTime)}`;
    return [
      `BROKEN at entry ${brokenAt}: it was altered or removed (${found}).`,
      `Intact: ${counted(entries)}${upTo}.`,
    ];
  }
  return [`OK: ${counted(entries)} checked${upTo}.`, ...droppedNote(droppedUpTo)];
}

async function check(): Promise<{ lines: string[]; ok: boolean }> {
  const file = join(dataDir(), "quarterdeck.sqlite");
  if (!existsSync(file)) throw new Error(`There is no database at ${file}. Set DATA_DIR.`);
  setDatabase(new Database(file, { readonly: true, timeout: 5000 }));
  try {
    const verdict = await verifyChainHere();
    return { lines: describe(verdict), ok: verdict.brokenAt === undefined && verdict.fault === undefined };
  } finally {
    closeDatabase();
  }
}

assertSupportedNode();
if (existsSync(".env")) process.loadEnvFile(".env");
try {
  const { lines, ok } = await check();
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  process.stderr.write(
    `The audit trail can't be checked: ${error instanceof Error ? error.message : error}\n`,
  );
  process.exitCode = 1;
}
