import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { type Db, transaction } from "~/core/db.server";
import { authorise } from "~/features/members/authorisation.server";
import { asOfNow } from "~/features/members/member.service.server";
import { orgTimeZone } from "~/features/organisation/organisation.service.server";
import { addJob } from "../documents/jobs/add-job.server";
import { discardDocument } from "../documents/jobs/discard.server";
import { addVersion } from "../documents/versions/add-version.server";
import { insertPart, updateVersion } from "../documents/versions/versions.repo.server";
import { addDocument, type Place } from "./accept.server";
import { recogniseContent } from "./duplicate.server";
import { textTitle } from "./names";
import type { PreparedText } from "./pasted-task";
import { asUpload, piecesOf, receiveBytes } from "./receive.server";

/** Of what is written in one commit, in bytes: a longer text would hold the event loop. */
const ONE_COMMIT = 1_000_000;

/** A text or an address that was taken on. */
export interface Accepted {
  documentId: string;
  jobId: string | undefined;
  /** It was there already. */
  known: boolean;
}

interface NewText extends PreparedText {
  /** The day's, if left out. */
  title?: string | undefined;
  place: Place;
}

function recognise(
  tx: Db,
  actor: Actor,
  { place, sha256 }: NewText,
  exceptId?: string,
): Accepted | undefined {
  const same = recogniseContent(tx, actor, place, { sha256, ...(exceptId ? { exceptId } : {}) });
  return same && { documentId: same.document.id, jobId: same.jobId, known: true };
}

const addText = (tx: Db, actor: Actor, { title, place }: NewText) =>
  addDocument(tx, actor, place, {
    name: title ?? textTitle(now(), orgTimeZone(actor.orgId)),
    type: "text",
    source: "",
  });

/** Accepts a text in one commit: an acknowledged text survives any crash. */
export function acceptText(actor: Actor, text: NewText): Accepted {
  const { bytes, sha256, contentType } = text;
  return transaction((tx) => {
    const known = recognise(tx, actor, text);
    if (known) return known;
    const documentId = addText(tx, actor, text);
    const told = { sha256, size: bytes.byteLength, contentType, createdBy: actor.userId };
    const versionId = addVersion(tx, documentId, { ...told, state: "received" });
    for (const [position, piece] of [...piecesOf(bytes)].entries())
      insertPart(tx, { versionId, position, bytes: piece });
    return { documentId, jobId: addJob(tx, actor, { kind: "ingest", documentId, versionId }), known: false };
  });
}

/**
 * Takes a text of any length on. A long one is written as a file is, piece by piece, and put down as received in the last
 * commit; what a crash breaks off is marked as failed, what can't be written is taken away again.
 */
export async function receiveText(actor: Actor, text: NewText): Promise<Accepted> {
  const { bytes, contentType } = text;
  if (bytes.byteLength <= ONE_COMMIT) return acceptText(actor, text);
  const begun = transaction((tx) => {
    const known = recognise(tx, actor, text);
    if (known) return known;
    const documentId = addText(tx, actor, text);
    const version = { state: "receiving", contentType, createdBy: actor.userId } as const;
    return { documentId, versionId: addVersion(tx, documentId, version) };
  });
  if ("known" in begun) return begun;
  const { documentId, versionId } = begun;
  try {
    return await asUpload(versionId, async () => {
      const received = await receiveBytes(versionId, oneByOne(bytes), { limit: bytes.byteLength });
      return finish(actor, text, { documentId, versionId, received });
    });
  } catch (error) {
    transaction((tx) => discardDocument(tx, actor, documentId))();
    throw error;
  }
}

export async function* oneByOne(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* piecesOf(bytes);
}

function finish(
  sender: Actor,
  text: NewText,
  begun: { documentId: string; versionId: string; received: { sha256: string; size: number } },
): Accepted {
  const { documentId, versionId, received } = begun;
  let afterwards = () => {};
  const accepted = transaction((tx) => {
    // Looked at again: others had their turns while it was written.
    const actor = asOfNow(tx, sender);
    authorise(actor, "documents.write");
    const known = recognise(tx, actor, text, documentId);
    if (known) {
      updateVersion(tx, versionId, { state: "failed" });
      afterwards = discardDocument(tx, actor, documentId);
      return known;
    }
    updateVersion(tx, versionId, { ...received, state: "received" });
    return { documentId, jobId: addJob(tx, actor, { kind: "ingest", documentId, versionId }), known: false };
  });
  afterwards();
  return accepted;
}
