import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { append } from "~/features/audit/audit.service.server";
import { authorise } from "~/features/members/authorisation.server";
import {
  readOrganisationName,
  readStoredBranding,
  readUserTheme,
  saveUserTheme,
} from "./branding.repo.server";
import { Branding, Theme } from "./branding.schema";

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
  return (actor && readUserTheme(db(), actor.userId)) ?? readBranding().theme;
}

/** Keeps a person's choice of theme. */
export function chooseTheme(actor: Actor, input: unknown): void {
  authorise(actor, "preferences.write");
  const theme = Theme.safeParse(input);
  if (!theme.success) throw new AppError("invalid", "The theme is dark, light or auto.");
  transaction((tx) => {
    saveUserTheme(tx, actor.userId, theme.data, now());
    append(tx, actor, {
      action: "settings.updated",
      resource: `user:${actor.userId}`,
      details: { theme: theme.data },
    });
  });
}
