import { db, rawDatabase } from "~/core/db.server";
import { findOrganisationId } from "./settings.repo.server";

/** The organisation of each open file: it never becomes another. */
const organisations = new WeakMap<object, string>();

/** Id of the installation's one organisation; undefined until it is set up. */
export function installationOrgId(): string | undefined {
  const raw = rawDatabase();
  const orgId = organisations.get(raw) ?? findOrganisationId(db());
  if (orgId !== undefined) organisations.set(raw, orgId);
  return orgId;
}
