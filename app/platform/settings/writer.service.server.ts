import { z } from "zod";
import { type Db, db, transaction } from "~/core/db.server";
import { env } from "~/core/env.server";
import { findOrgRecord, saveOrgRecord } from "./settings.service.server";

/** What the database knows of the console that writes it. `takeOver` is repeated in a file that no replica has. */
const Writer = z.object({ replica: z.string().nullable().default(null), takeOver: z.string().optional() });
export type Writer = z.infer<typeof Writer>;

export function readWriter(orgId: string): Writer {
  return Writer.catch({ replica: null }).parse(findOrgRecord(db(), orgId, "writer"));
}

export const saveWriter = (tx: Db, orgId: string, writer: Writer) =>
  saveOrgRecord(tx, orgId, "writer", writer);

/**
 * Keeps the address of the replica in the database, so that a copy of it knows which one isn't its own. Call it before
 * anything is answered, and within the transaction that makes the organization: then no replica holds what somebody
 * did without its own address.
 */
export function recordReplica(orgId: string, tx?: Db): void {
  const replica = env().LITESTREAM_URL;
  if (!replica) return;
  const writer = readWriter(orgId);
  if (writer.replica === replica) return;
  const save = (at: Db) => saveWriter(at, orgId, { ...writer, replica });
  if (tx) save(tx);
  else transaction(save);
}
