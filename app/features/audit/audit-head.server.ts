import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { db } from "~/core/db.server";
import { dataDir } from "~/core/env.server";
import { sameSecret } from "~/core/ids.server";
import { readChain, readLast } from "./audit.repo.server";
import { chainKey } from "./chain-key.server";

/** The newest entry as it was last noted outside the database. */
const Head = z.object({ seq: z.int().positive(), mac: z.string(), signature: z.string() });
type Head = Pick<z.infer<typeof Head>, "seq" | "mac">;

const headFile = () => join(dataDir(), "audit.head");

function signatureOf({ seq, mac }: Head): string {
  return createHmac("sha256", chainKey())
    .update(JSON.stringify(["quarterdeck-audit-head-1", seq, mac]))
    .digest("base64url");
}

/** @returns undefined when none was noted yet, "damaged" when the file isn't one that this console signed */
export function readHead(): Head | "damaged" | undefined {
  let text: string;
  try {
    text = readFileSync(headFile(), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    const head = Head.parse(JSON.parse(text));
    return sameSecret(head.signature, signatureOf(head)) ? head : "damaged";
  } catch {
    return "damaged";
  }
}

async function writeHead(head: Head): Promise<void> {
  const file = headFile();
  const handle = await open(`${file}.new`, "w", 0o600);
  try {
    await handle.writeFile(JSON.stringify({ ...head, signature: signatureOf(head) }));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}

/**
 * Notes the trail's newest entry in the data folder, where who can only write the database can't reach it. A trail
 * that lacks what was noted before keeps the old note: that is what the check then tells by.
 *
 * @throws Error when the file can't be written
 */
export async function noteHead(): Promise<void> {
  const last = readLast(db());
  const noted = readHead();
  if (!last || noted === "damaged" || noted?.mac === last.mac) return;
  const [entry] = noted ? readChain(db(), noted.seq - 1, 1) : [];
  if (noted && (entry?.seq !== noted.seq || entry.mac !== noted.mac)) return;
  await writeHead(last);
}
