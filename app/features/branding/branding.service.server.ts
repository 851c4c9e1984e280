import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { log } from "~/core/log.server";
import { readUserSettings } from "~/features/settings/settings.service.server";
import { readOrganisationName, readStoredBranding } from "./branding.repo.server";
import { Branding, type Theme } from "./branding.schema";

/** The organisation's branding over the defaults; public, the landing page wears it. */
export function readBranding(): Branding {
  const parsed = Branding.safeParse(readStoredBranding(db()) ?? {});
  if (parsed.success) return parsed.data;
  // A page in the wrong colours is better than none.
  log.error("the stored branding is not valid; the defaults stand in", { error: parsed.error });
  return Branding.parse({});
}

/** What stands at the head of the signed-in screens. */
export function teamTitle(actor: Actor): string {
  return readOrganisationName(db(), actor.orgId) ?? readBranding().appName;
}

/** A person's own choice, else the branding's. */
export function themeOf(actor: Actor | undefined): Theme {
  return (actor && readUserSettings(actor).theme) ?? readBranding().theme;
}
