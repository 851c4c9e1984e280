import { createHash } from "node:crypto";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { orgTimeZone } from "~/platform/settings/read-settings.service.server";
import { addJob, ingestJob } from "../jobs/document-jobs.server";
import { insertPart } from "../versions/document-parts.repo.server";
import { addVersion } from "../versions/versions.repo.server";
import { type Accepted, addDocument, type IngestTarget } from "./accept.server";
import { reuseDuplicate } from "./duplicate.server";
import type { TextFormat } from "./ingest.schema";
import { textTitle } from "./names";
import { piecesOf } from "./receive.server";

export interface PreparedText {
  bytes: Uint8Array;
  /** In hex. */
  sha256: string;
  contentType: string;
}

const CONTENT_TYPES = { text: "text/plain", markdown: "text/markdown" } as const;

export function prepareText(text: string, format: TextFormat): PreparedText {
  const bytes = Buffer.from(text, "utf8");
  return {
    bytes,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    contentType: `${CONTENT_TYPES[format]}; charset=utf-8`,
  };
}

interface NewText extends PreparedText {
  title?: string | undefined;
  target: IngestTarget;
}

export function acceptText(actor: Actor, text: NewText): Accepted {
  const { bytes, sha256, contentType, target, title } = text;
  return transaction((tx) => {
    const same = reuseDuplicate(tx, actor, target, { sha256 });
    if (same) return { documentId: same.document.id, jobId: same.jobId, isExisting: true };
    const name = title ?? textTitle(now(), orgTimeZone(actor.orgId));
    const documentId = addDocument(tx, actor, target, { name, type: "text", source: "" });
    const fields = { sha256, size: bytes.byteLength, contentType, createdBy: actor.userId };
    const versionId = addVersion(tx, documentId, { ...fields, state: "received" });
    for (const [position, piece] of [...piecesOf(bytes)].entries())
      insertPart(tx, { versionId, position, bytes: piece });
    return {
      documentId,
      jobId: addJob(tx, actor, ingestJob, { documentId, versionId }),
      isExisting: false,
    };
  });
}
