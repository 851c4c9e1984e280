import type { z } from "zod";
import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { authorise } from "~/features/members/authorisation.server";
import type { Theme } from "~/features/settings/groups/branding.schema";
import { readGroupState } from "~/features/settings/read-settings.service.server";
import { readUserSettings } from "~/features/settings/settings.service.server";
import { pickChanges } from "~/features/settings/settings-form.service.server";
import { updateSettings } from "~/features/settings/update-settings.service.server";
import { findOrganisationId } from "./branding.repo.server";
import { Branding, type BrandingAnswer, BrandingInput } from "./branding.schema";
import { compileCss, saveCompiledCss } from "./custom-css/custom-css.service.server";

type Answer = z.infer<typeof BrandingAnswer>;

/** The installation's branding with its version; public, since the landing page uses it. */
export function readBrandingAnswer(): Answer {
  const orgId = findOrganisationId(db());
  if (orgId === undefined) return { ...Branding.parse({}), version: 0 };
  const { values, version } = readGroupState(orgId, "branding");
  return { ...values, version };
}

/** The installation's branding. */
export function readBranding(): Branding {
  const { version: _, ...branding } = readBrandingAnswer();
  return branding;
}

/**
 * Changes what the input names.
 *
 * @throws AppError as `updateSettings` and `compileCss`
 */
export async function updateBranding(actor: Actor, { version, ...patch }: BrandingInput): Promise<Answer> {
  authorise(actor, "settings.manage");
  const compiled = patch.customCss === undefined ? undefined : await compileCss(patch.customCss);
  return transaction((tx) => {
    const saved = updateSettings(actor, "branding", patch, version);
    if (compiled) saveCompiledCss(tx, actor.orgId, compiled);
    return { ...saved.values, version: saved.version };
  });
}

/**
 * Saves the form of the Branding tab.
 *
 * @param version that the person read
 * @throws AppError as `updateSettings`
 */
export function saveBrandingForm(
  actor: Actor,
  sent: Record<string, unknown>,
  version: number | undefined,
): Promise<Answer> {
  return updateBranding(actor, BrandingInput.parse({ ...pickChanges(actor, "branding", sent), version }));
}

/** Takes every field of the branding back to its default (`updateSettings`). */
export function resetBranding(actor: Actor, version: number | undefined): Promise<Answer> {
  return saveBrandingForm(actor, Branding.parse({}), version);
}

/** A person's own choice, else the branding's. */
export function themeOf(actor: Actor | undefined): Theme {
  return (actor && readUserSettings(actor).theme) ?? readBranding().theme;
}
