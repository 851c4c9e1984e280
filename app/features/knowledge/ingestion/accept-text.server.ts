import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { transaction } from "~/core/db.server";
import { orgTimeZone } from "~/features/organisation/organisation.service.server";
import { addJob } from "../documents/jobs/add-job.server";
import { addVersion } from "../documents/versions/add-version.server";
import { insertPart } from "../documents/versions/document-parts.repo.server";
import { type Accepted, addDocument, type IngestTarget } from "./accept.server";
import { recogniseContent } from "./duplicate.server";
import { textTitle } from "./names";
import type { PreparedText } from "./prepare-text";
import { piecesOf } from "./receive.server";

interface NewText extends PreparedText {
  title?: string | undefined;
  target: IngestTarget;
}

export function acceptText(actor: Actor, text: NewText): Accepted {
  const { bytes, sha256, contentType, target, title } = text;
  return transaction((tx) => {
    const same = recogniseContent(tx, actor, target, { sha256 });
    if (same) return { documentId: same.document.id, jobId: same.jobId, known: true };
    const name = title ?? textTitle(now(), orgTimeZone(actor.orgId));
    const documentId = addDocument(tx, actor, target, { name, type: "text", source: "" });
    const fields = { sha256, size: bytes.byteLength, contentType, createdBy: actor.userId };
    const versionId = addVersion(tx, documentId, { ...fields, state: "received" });
    for (const [position, piece] of [...piecesOf(bytes)].entries())
      insertPart(tx, { versionId, position, bytes: piece });
    return { documentId, jobId: addJob(tx, actor, { kind: "ingest", documentId, versionId }), known: false };
  });
}
