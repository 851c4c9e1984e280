import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { env } from "~/core/env.server";
import { sameSecret } from "~/core/ids.server";
import { parseWellFormed } from "~/core/well-formed";
import { readLastEntry, readMac } from "~/platform/audit/audit.repo.server";
import { chainKey } from "~/platform/audit/chain-key.server";
import type { TrailFault } from "~/platform/audit/trail.shared";
import { enqueue } from "~/platform/jobs/enqueue.service.server";
import { installationOrgId } from "~/platform/settings/installation.service.server";
import { readSettings } from "~/platform/settings/read-settings.service.server";
import { Anchor, type AnchorDestination, type AnchorTargets } from "./anchor.schema";
import { sendAnchorType } from "./send-anchor-job-type";

function anchorFile(): string | undefined {
  const { AUDIT_ANCHOR } = env();
  return AUDIT_ANCHOR === undefined ? undefined : resolve(AUDIT_ANCHOR);
}

const signatureOf = ({ at, seq, mac, restart }: Omit<Anchor, "signature">): string =>
  createHmac("sha256", chainKey())
    .update(JSON.stringify(["quarterdeck-audit-anchor-1", at, seq, mac, restart]))
    .digest("base64url");

/** Destinations of anchors: the file, and the addresses in the settings. */
export function readAnchorTargets(orgId: string | undefined): AnchorTargets {
  const { anchorEmail, anchorWebhook } = orgId === undefined ? {} : readSettings(orgId, "security");
  const destinations: AnchorDestination[] = [];
  if (anchorEmail) destinations.push("email");
  if (anchorWebhook) destinations.push("webhook");
  return { file: anchorFile() !== undefined, destinations };
}

async function appendToFile(file: string, anchor: Anchor): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, "a", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(anchor)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Anchors the trail's newest entry in the file and the configured destinations.
 * @throws Error if the file can't be written
 */
export async function addAnchor({ restart = false } = {}): Promise<AnchorTargets> {
  const orgId = installationOrgId();
  const targets = readAnchorTargets(orgId);
  const newest = readLastEntry(db());
  if (!newest) return targets;
  const unsigned = { at: new Date(now()).toISOString(), seq: newest.seq, mac: newest.mac, restart };
  const anchor = { ...unsigned, signature: signatureOf(unsigned) };
  if (orgId !== undefined && targets.destinations.length > 0)
    transaction((tx) => {
      for (const destination of targets.destinations)
        enqueue(tx, sendAnchorType, { destination, anchor }, { orgId, subject: `anchor:${destination}` });
    });
  const file = anchorFile();
  if (file) await appendToFile(file, anchor);
  return targets;
}

function readAnchors(file: string): Anchor[] | "damaged" {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    // No anchors yet.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  let anchors: Anchor[] | "damaged" = [];
  // A crash may have truncated the last line.
  for (const line of text.split("\n").slice(0, -1)) {
    const parsed = Anchor.safeParse(readLine(line));
    const isSigned = parsed.success && sameSecret(parsed.data.signature, signatureOf(parsed.data));
    if (!isSigned) anchors = "damaged";
    else if (parsed.data.restart) anchors = [parsed.data];
    else if (anchors !== "damaged") anchors.push(parsed.data);
  }
  return anchors;
}

function readLine(line: string): unknown {
  try {
    return parseWellFormed(line);
  } catch {
    return undefined;
  }
}

/**
 * Compares the entries with the anchors.
 * @param start last dropped position
 * @returns the fault and the position of the first mismatch
 */
export function findAnchorFault(start: number): { fault: TrailFault; brokenAt?: number } | undefined {
  const file = anchorFile();
  if (!file) return undefined;
  const anchors = readAnchors(file);
  if (anchors === "damaged") return { fault: "anchor_damaged" };
  const moved = anchors.find(({ seq, mac }) => seq > start && readMac(db(), seq) !== mac);
  return moved && { fault: "anchor_moved", brokenAt: moved.seq };
}
