import { db } from "~/core/db.server";
import { chosenKeyId } from "~/team/keys/keys.service.server";
import type { KeyUse } from "~/team/keys/keys.shared";
import { listProviderRows } from "./models.repo.server";
import { keyRequestOf } from "./provider-call.server";
import { findProviderType } from "./providers/index.server";

/** The selected key, else the first that matches the address. */
export function providerKeyUses(orgId: string): KeyUse[] {
  return listProviderRows(db(), orgId).flatMap((row) => {
    const type = findProviderType(row.type);
    const request = type && keyRequestOf(row, type);
    const keyId = request && chosenKeyId(orgId, request);
    return keyId ? [{ keyId, kind: "Provider", name: row.displayName, to: "/settings/providers" }] : [];
  });
}
