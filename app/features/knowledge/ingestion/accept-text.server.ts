import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { orgTimeZone } from "~/features/organisation/organisation.service.server";
import { addJob } from "../documents/jobs/add-job.server";
import { addVersion } from "../documents/versions/add-version.server";
import { insertPart } from "../documents/versions/document-parts.repo.server";
import { addDocument, type IngestTarget } from "./accept.server";
import { recogniseContent } from "./duplicate.server";
import { textTitle } from "./names";
import type { PreparedText } from "./prepare-text";
import { piecesOf } from "./receive.server";

export interface Accepted {
  documentId: string;
  jobId: string | undefined;
  known: boolean;
}

interface NewText extends PreparedText {
  title?: string | undefined;
  target: IngestTarget;
}

function recognise(tx: Db, actor: Actor, { target, sha256 }: NewText): Accepted | undefined {
  const same = recogniseContent(tx, actor, target, { sha256 });
  return same && { documentId: same.document.id, jobId: same.jobId, known: true };
}

const addText = (tx: Db, actor: Actor, { title, target }: NewText) =>
  addDocument(tx, actor, target, {
    name: title ?? textTitle(now(), orgTimeZone(actor.orgId)),
    type: "text",
    source: "",
  });

/** Accepts a text in one commit. */
export function acceptText(actor: Actor, text: NewText): Accepted {
  const { bytes, sha256, contentType } = text;
  return transaction((tx) => {
    const known = recognise(tx, actor, text);
    if (known) return known;
    const documentId = addText(tx, actor, text);
    const fields = { sha256, size: bytes.byteLength, contentType, createdBy: actor.userId };
    const versionId = addVersion(tx, documentId, { ...fields, state: "received" });
    for (const [position, piece] of [...piecesOf(bytes)].entries())
      insertPart(tx, { versionId, position, bytes: piece });
    return { documentId, jobId: addJob(tx, actor, { kind: "ingest", documentId, versionId }), known: false };
  });
}
