import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { db, transaction } from "~/core/db.server";
import { authorise, may } from "~/platform/rights/authorization.server";
import {
  type ModelChoice,
  type RagSettings,
  type UserSettings,
  UserSettingsInput,
} from "~/platform/settings/settings.schema";
import { readSettings, updateSettings } from "~/platform/settings/settings.service.server";
import { getSessionModel, setSessionModel } from "./session.service.server";
import { findUserSettings, saveUserSettings } from "./user.repo.server";

/** Who manages the console begins with its figures, others with their work. */
const defaultStartPage = (actor: Actor): UserSettings["startPage"] =>
  may(actor, "usage.all") || !may(actor, "chat.use") ? "dashboard" : "chat";

/** Address to which a sign-in leads that was not on the way to another page. */
export function startAddress(actor: Actor): string {
  const page = findUserSettings(db(), actor.userId)?.startPage ?? defaultStartPage(actor);
  return page === "chat" && may(actor, "chat.use") ? "/chat" : "/";
}

export function readUserSettings(actor: Actor): UserSettings {
  authorise(actor, "screens.read");
  const own = findUserSettings(db(), actor.userId);
  return {
    ...readSettings(actor.orgId, "rag"),
    preferredModel: own?.preferredModel ?? null,
    theme: own?.theme ?? null,
    enterSends: own?.enterSends ?? true,
    memory: own?.memory ?? false,
    startPage: own?.startPage ?? defaultStartPage(actor),
  };
}

/**
 * Changes the given fields, all or none. The preferred model, the theme, the Enter key, the memory and the start
 * page are the user's own preferences, which aren't audited; the others are the organization's and require an admin.
 *
 * @param version of the RAG settings in the form
 */
export function updateUserSettings(actor: Actor, input: UserSettingsInput, version?: number): UserSettings {
  const { preferredModel, theme, enterSends, memory, startPage, ...rag } = input;
  const own = { preferredModel, theme, enterSends, memory, startPage };
  const changesOwn = Object.values(own).some((value) => value !== undefined);
  const changesRag = Object.keys(rag).length > 0;
  if (changesOwn || !changesRag) authorise(actor, "preferences.write");
  return transaction((tx) => {
    if (changesOwn) saveUserSettings(tx, actor.userId, own, now());
    if (changesRag) updateSettings(actor, "rag", rag, version);
    return readUserSettings(actor);
  });
}

/**
 * Saves the form of the organization's RAG settings. Unchanged fields aren't stored, so that they keep following their
 * defaults.
 *
 * @param version that the person read
 * @throws AppError as `updateSettings`
 */
export function saveRagSettings(actor: Actor, sent: RagSettings, version?: number): UserSettings {
  authorise(actor, "settings.manage");
  const present = new Map<string, unknown>(Object.entries(readSettings(actor.orgId, "rag")));
  const changed = Object.entries(sent).filter(([name, value]) => present.get(name) !== value);
  if (changed.length === 0) return readUserSettings(actor);
  return updateUserSettings(actor, UserSettingsInput.parse(Object.fromEntries(changed)), version);
}

export function chosenModels(actor: Actor): { session: string | undefined; preferred: string | null } {
  return {
    session: getSessionModel(actor),
    preferred: findUserSettings(db(), actor.userId)?.preferredModel ?? null,
  };
}

export function areFirstStepsHidden(actor: Actor): boolean {
  return findUserSettings(db(), actor.userId)?.firstStepsHidden ?? false;
}

/** Not audited. */
export function hideFirstSteps(actor: Actor): void {
  authorise(actor, "preferences.write");
  transaction((tx) => saveUserSettings(tx, actor.userId, { firstStepsHidden: true }, now()));
}

export function chooseModel(actor: Actor, { model }: ModelChoice): void {
  transaction(() => {
    updateUserSettings(actor, { preferredModel: model });
    setSessionModel(actor, model);
  });
}
