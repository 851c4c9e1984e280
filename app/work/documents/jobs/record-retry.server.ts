import type { Actor } from "~/core/actor";
import type { Db } from "~/core/db.server";
import { append } from "~/platform/audit/audit.service.server";
import { documentDetails } from "../document-audit";
import type { DocumentRow } from "../documents.repo.server";

export function recordRetry(
  tx: Db,
  actor: Pick<Actor, "orgId" | "userId" | "tokenId" | "requestId">,
  document: DocumentRow,
): void {
  append(tx, actor, {
    action: "document.retried",
    resource: `document:${document.id}`,
    details: documentDetails(document, { filename: document.name }),
  });
}
