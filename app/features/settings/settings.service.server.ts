import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { cachedByConfig } from "~/core/config-cache.server";
import { db, transaction } from "~/core/db.server";
import { append } from "~/features/audit/audit.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { getSessionModel, setSessionModel } from "~/features/members/session.service.server";
import { findOrgSettings, findUserSettings, saveOrgSettings, saveUserSettings } from "./settings.repo.server";
import {
  AiLimits,
  type ModelChoice,
  Monitoring,
  RagSettings,
  type UserSettings,
  UserSettingsInput,
} from "./settings.schema";

/** Saves a group of the organisation's settings, for the feature whose group it is. */
export { saveOrgSettings as saveSettingsGroup } from "./settings.repo.server";

const RAG = "rag";

/** What was stored and is still valid; a value that a newer program wrote falls back to its default. */
function readRag(orgId: string): RagSettings {
  const stored = findOrgSettings(db(), orgId, RAG);
  const whole = RagSettings.safeParse(stored);
  if (whole.success) return whole.data;
  const wrong = new Set(whole.error.issues.map((issue) => issue.path[0]));
  return RagSettings.parse(Object.fromEntries(Object.entries(stored).filter(([name]) => !wrong.has(name))));
}

/** The advanced settings' limits for calls to providers. */
export const readAiLimits = cachedByConfig((orgId): AiLimits => {
  const parsed = AiLimits.safeParse(findOrgSettings(db(), orgId, "advanced").ai ?? {});
  return parsed.success ? parsed.data : AiLimits.parse({});
});

/** Whether providers that nobody calls are asked for a sign of life. */
export const readHealthChecks = cachedByConfig((orgId): boolean => {
  const parsed = Monitoring.safeParse(findOrgSettings(db(), orgId, "advanced").monitoring ?? {});
  return parsed.success ? parsed.data.healthChecks : true;
});

/** The organisation's rag settings, for the features that go by them. */
export const readRagSettings = cachedByConfig(readRag);

/** Whether a person chose where vectors are kept, in place of taking the default as it comes. */
export const isVectorModeChosen = cachedByConfig(
  (orgId): boolean => findOrgSettings(db(), orgId, RAG).ragVectorMode !== undefined,
);

/** The person's preferences and the organisation's rag settings. */
export function readUserSettings(actor: Actor): UserSettings {
  authorise(actor, "screens.read");
  const own = findUserSettings(db(), actor.userId);
  return {
    ...readRag(actor.orgId),
    preferredModel: own?.preferredModel ?? null,
    theme: own?.theme ?? null,
  };
}

/**
 * Changes what the input names: the preferred model and the theme are the person's own, the rest is the organisation's
 * and takes an admin. Either all of it is changed or nothing.
 */
export function updateUserSettings(actor: Actor, input: UserSettingsInput): UserSettings {
  const { preferredModel, theme, ...rag } = input;
  const own = {
    ...(preferredModel === undefined ? {} : { preferredModel }),
    ...(theme === undefined ? {} : { theme }),
  };
  const ownNames = Object.keys(own);
  const ragNames = Object.keys(rag);
  if (ownNames.length > 0 || ragNames.length === 0) authorise(actor, "preferences.write");
  if (ragNames.length > 0) authorise(actor, "settings.manage");
  return transaction((tx) => {
    if (ownNames.length > 0) {
      saveUserSettings(tx, actor.userId, own, now());
      append(tx, actor, { action: "settings.updated", resource: `user:${actor.userId}`, details: own });
    }
    if (ragNames.length > 0) {
      // What was never chosen isn't written down as a choice.
      saveOrgSettings(tx, actor.orgId, RAG, { ...findOrgSettings(tx, actor.orgId, RAG), ...rag }, now());
      append(tx, actor, { action: "settings.updated", resource: "settings:rag", details: rag });
    }
    return readUserSettings(actor);
  });
}

/**
 * Changes the organisation's rag settings as a form sends them, all at once: what it leaves as it is isn't written down as
 * anybody's choice.
 */
export function saveRagSettings(actor: Actor, sent: RagSettings): UserSettings {
  authorise(actor, "settings.manage");
  const present = new Map<string, unknown>(Object.entries(readRag(actor.orgId)));
  const changed = Object.entries(sent).filter(([name, value]) => present.get(name) !== value);
  if (changed.length === 0) return readUserSettings(actor);
  return updateUserSettings(actor, UserSettingsInput.parse(Object.fromEntries(changed)));
}

/** The models a person chose: for this browser session, and as their saved preference. */
export function chosenModels(actor: Actor): { session: string | undefined; preferred: string | null } {
  return {
    session: getSessionModel(actor),
    preferred: findUserSettings(db(), actor.userId)?.preferredModel ?? null,
  };
}

/** The model picker: keeps the model for the browser session and saves it as the person's preferred one. */
export function chooseModel(actor: Actor, { model }: ModelChoice): void {
  transaction(() => {
    updateUserSettings(actor, { preferredModel: model });
    setSessionModel(actor, model);
  });
}
