import { db, rawDatabase } from "~/core/db.server";
import { findOrganisationId } from "./settings.repo.server";

/** By database handle; constant per file. */
const organisations = new WeakMap<object, string>();

/** Undefined before setup. */
export function installationOrgId(): string | undefined {
  const raw = rawDatabase();
  const orgId = organisations.get(raw) ?? findOrganisationId(db());
  if (orgId !== undefined) organisations.set(raw, orgId);
  return orgId;
}
