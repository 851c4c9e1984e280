import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { closeDatabase, setDatabase } from "~/core/db.server";
import { dataDir, env, SECRET_NAMES } from "~/core/env.server";
import { usesVariable } from "~/core/secrets.server";
import { readTrailEnd } from "~/platform/audit/verify.service.server";
import { eachFile, hasCopy, readFileCopies } from "~/platform/files/files.service.server";
import { assertSupportedNode } from "../scripts/node-version.mjs";

// `npm run restore:drill`: restores the replica into an empty folder, also while the console runs, verifies what came and
// prints what a standby would lack. The folder is deleted at the end.

/** In ms. */
const TIMEOUT = 60 * 60_000;

interface Ended {
  code: number | null;
  output: string;
}

function runLitestream(program: string, options: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ["restore", ...options], {
      stdio: ["ignore", "pipe", "pipe"],
      // Node's own `timeout` would keep the process for its time where there is no such program.
      signal: AbortSignal.timeout(TIMEOUT),
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part) => {
        output = (output + String(part)).slice(-10_000);
      });
    child.once("error", (error) => {
      const isMissing = "code" in error && error.code === "ENOENT";
      const isLate = error.name === "AbortError";
      if (isMissing) reject(new Error(`${program} isn't on the PATH. LITESTREAM can name the program.`));
      else reject(isLate ? new Error(`${program} hasn't restored the replica in an hour.`) : error);
    });
    child.once("close", (code) => resolve({ code, output }));
  });
}

const sizeOf = (file: string) => `${(statSync(file).size / 1e6).toFixed(1)} MB`;

const withoutPassword = (text: string) => text.replace(/\/\/[^/@]*@/g, "//");

/** @throws Error with Litestream's own words if it fails, or if the restored file is damaged */
async function restore(program: string, url: string, file: string, isOptional = false): Promise<void> {
  const optional = isOptional ? ["-if-replica-exists"] : [];
  const { code, output } = await runLitestream(program, [
    ...["-integrity-check", "full", ...optional, "-o", file, url],
  ]);
  if (code !== 0 || (!isOptional && !existsSync(file)))
    throw new Error(withoutPassword(`${url} can't be restored:\n${output.trim() || "there is no replica."}`));
}

/** What isn't in the replica: keys without a variable, and files beside the database. */
function listMissing(hasCopies: boolean): string[] {
  const keys = SECRET_NAMES.filter((name) => !usesVariable(name)).map(
    (name) => `${name}: set its variable, or keep a copy elsewhere.`,
  );
  const folders = ["attachments", "runs"].flatMap((name) => {
    if (hasCopies) return [];
    const folder = join(dataDir(), name);
    const files = existsSync(folder) ? readdirSync(folder).length : 0;
    return files > 0 ? [`${name}/: ${files} files or folders here, which need a copy of their own.`] : [];
  });
  return [...keys, ...folders];
}

/** Asks the second place of files for each file that the restored database names. */
async function countCopies(): Promise<string | undefined> {
  const place = readFileCopies()?.place;
  if (place === undefined) return undefined;
  const { signal } = new AbortController();
  let found = 0;
  let lacking = 0;
  for await (const file of eachFile()) {
    if (await hasCopy(file, signal)) found += 1;
    else lacking += 1;
  }
  const rest = lacking === 0 ? "" : `, ${lacking} ${lacking === 1 ? "has" : "have"} none`;
  return `Files: ${found} of ${found + lacking} have a copy at ${place}${rest}.`;
}

async function drill(): Promise<{ lines: string[]; ok: boolean }> {
  const url = env().LITESTREAM_URL;
  // As Litestream itself gets it: an SFTP server's password is in it.
  const source = process.env.LITESTREAM_URL;
  if (!url || !source) throw new Error("LITESTREAM_URL isn't set: there is no replica to restore.");
  const program = process.env.LITESTREAM ?? "litestream";
  const folder = mkdtempSync(join(tmpdir(), "quarterdeck-drill-"));
  try {
    const started = performance.now();
    const file = join(folder, "quarterdeck.sqlite");
    const workspace = join(folder, "workspace.db");
    await restore(program, `${source}/quarterdeck`, file);
    await restore(program, `${source}/workspace`, workspace, true);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    setDatabase(new Database(file, { readonly: true }));
    const { entries, brokenAt, lastTime } = await readTrailEnd();
    const last = lastTime === undefined ? "none" : new Date(lastTime).toISOString();
    const trail =
      brokenAt === undefined
        ? `Audit trail: whole, ${entries} entries, the last from ${last}.`
        : `Audit trail: BROKEN at entry ${brokenAt}.`;
    const [other, passed] = existsSync(workspace)
      ? [`workspace ${sizeOf(workspace)}`, "Both passed"]
      : ["no workspace database", "It passed"];
    const copies = await countCopies();
    const missing = listMissing(copies !== undefined);
    return {
      ok: brokenAt === undefined,
      lines: [
        `Restored ${url} in ${seconds} s: database ${sizeOf(file)}, ${other}. ${passed} SQLite's integrity check.`,
        trail,
        ...(copies === undefined ? [] : [copies]),
        ...(missing.length > 0
          ? ["Not in the replica:", ...missing.map((line) => `  ${line}`)]
          : [
              "Nothing is missing: all keys are variables, and no file beside the databases needs a copy of its own.",
            ]),
      ],
    };
  } finally {
    closeDatabase();
    rmSync(folder, { recursive: true, force: true });
  }
}

assertSupportedNode();
process.umask(0o077);
if (existsSync(".env")) process.loadEnvFile(".env");
try {
  const { lines, ok } = await drill();
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
