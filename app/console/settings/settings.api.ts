import { z } from "zod";
import { endpoint, endpoints } from "~/platform/endpoint/endpoint.shared";
import { clearCaches, countCached } from "~/platform/settings/caches.service.server";
import { UserSettings, UserSettingsInput } from "~/platform/settings/settings.schema";
import { readUserSettings } from "~/team/members/preferences.service.server";
import { changeSettings } from "~/work/index/rag-settings.service.server";
import {
  AdvancedInput,
  AdvancedSettings,
  CacheCleared,
  CacheState,
  PastRetention,
  SettingsExport,
} from "./advanced.schema";
import {
  countPastRetention,
  exportSettings,
  readAdvancedSettings,
  updateAdvancedSettings,
} from "./advanced.service.server";
import { EgressAllow, EgressCallEntry } from "./egress.schema";
import { listEgressCalls, readEgressAllow, saveEgressAllow } from "./egress.service.server";
import { EnvironmentEntry, readEnvironment } from "./environment.service.server";

export const settingsApi = [
  ...endpoints("Settings", [
    endpoint({
      method: "GET",
      path: "/api/settings/advanced",
      summary: "Get the advanced settings",
      access: "settings.manage",
      response: AdvancedSettings,
      handle: ({ actor }) => readAdvancedSettings(actor),
    }),
    endpoint({
      method: "PUT",
      path: "/api/settings/advanced",
      summary: "Change advanced settings",
      description:
        "Changes only the fields sent, in all groups or in none. Turning off the content security policy or the audit log requires an owner; HTTPS enforcement can only be turned on over HTTPS.",
      access: "settings.manage",
      body: AdvancedInput,
      response: AdvancedSettings,
      handle: ({ actor, body, secure }) => updateAdvancedSettings(actor, body, { secure }),
    }),
    endpoint({
      method: "GET",
      path: "/api/settings/cache",
      summary: "Count cached values",
      access: "settings.manage",
      response: CacheState,
      handle: ({ actor }) => ({ cached: countCached(actor) }),
    }),
    endpoint({
      method: "DELETE",
      path: "/api/settings/cache",
      summary: "Clear the cache",
      access: "settings.manage",
      response: CacheCleared,
      handle: ({ actor }) => clearCaches(actor),
    }),
    endpoint({
      method: "GET",
      path: "/api/settings/export",
      summary: "Export every settings group with its version",
      access: "settings.manage",
      response: SettingsExport,
      handle: ({ actor }) => exportSettings(actor),
    }),
    endpoint({
      method: "GET",
      path: "/api/settings/retention",
      summary: "Count what a retention of conversations would delete now",
      description:
        "`security.conversationRetention` of the advanced settings is the retention. Answers that run or wait for an approval are spared.",
      access: "settings.manage",
      query: z.object({ days: z.coerce.number().int().min(1).max(3650) }),
      response: PastRetention,
      handle: ({ actor, query }) => countPastRetention(actor, query.days),
    }),
    endpoint({
      method: "GET",
      path: "/api/system/env-status",
      summary: "List environment variables and whether they are set",
      description: "Values are never returned: `masked` is a fixed row of bullets.",
      access: "settings.manage",
      response: z.array(EnvironmentEntry),
      handle: ({ actor }) => readEnvironment(actor),
    }),
    endpoint({
      method: "GET",
      path: "/api/user/settings",
      summary: "Get your preferences and the organization's RAG settings",
      access: "screens.read",
      response: UserSettings,
      handle: ({ actor }) => readUserSettings(actor),
    }),
    endpoint({
      method: "PUT",
      path: "/api/user/settings",
      summary: "Change settings",
      description:
        "Changes only the fields sent. The preferred model and theme are your own; the RAG and embedding fields are the organization's and require an admin. Choosing an available embedding provider or reranking model is consent to send it the documents; one added later is offered first.",
      access: "signed-in",
      body: UserSettingsInput,
      response: UserSettings,
      handle: ({ actor, body }) => changeSettings(actor, body),
    }),
  ]),
  ...endpoints("System", [
    endpoint({
      method: "GET",
      path: "/api/system/egress/allow",
      summary: "Get the owner's egress list",
      access: "egress.manage",
      response: EgressAllow,
      handle: ({ actor }) => readEgressAllow(actor),
    }),
    endpoint({
      method: "PUT",
      path: "/api/system/egress/allow",
      summary: "Replace the owner's egress list",
      description: "Applies in addition to the operator's EGRESS_ALLOW, to new connections.",
      access: "egress.manage",
      body: EgressAllow,
      response: EgressAllow,
      handle: ({ actor, body }) => saveEgressAllow(actor, body),
    }),
    endpoint({
      method: "GET",
      path: "/api/system/egress",
      summary: "List recent outgoing calls",
      description:
        "At most 500 since the last start, newest first, without paths, queries, headers and bodies.",
      access: "egress.manage",
      response: z.array(EgressCallEntry),
      handle: ({ actor }) => listEgressCalls(actor),
    }),
  ]),
];
