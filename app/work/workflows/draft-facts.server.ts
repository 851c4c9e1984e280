import { listModels, resolveModel } from "~/ai/models/models.service.server";
import { explainMissingTools, offerTools } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { now } from "~/core/clock.server";
import { AppError } from "~/core/errors";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import type { Permission } from "~/platform/catalogue/permissions";
import { hasMailServer } from "~/platform/mail/send-mail.service.server";
import { may } from "~/platform/rights/authorization.server";
import { orgTimeZone } from "~/platform/settings/settings.service.server";
import { keyValue } from "~/team/keys/keys.service.server";
import type { Draft, DraftFacts, DraftPart, StepWarning } from "./builder.schema";
import { scheduleKey } from "./schedule.shared";
import { findStepType } from "./steps/index.server";
import type { StepField } from "./steps/step-type";
import { fieldsOfSchema } from "./tool-fields";
import type { ToolField } from "./tool-input.shared";
import { describeSchedule } from "./triggers/schedule.trigger.server";

const textIn = ({ config }: DraftPart, name: string) => {
  const value = config[name];
  return typeof value === "string" ? value.trim() : "";
};

const toolsOf = (draft: Draft) =>
  new Set(draft.steps.flatMap((step) => (step.type === "run_tool" ? [textIn(step, "tool")] : [])));

/** Fields of the tools that a draft's steps call, by the tool's name; without those that no form can have. */
export function toolFieldsOf(actor: Actor, draft: Draft): Record<string, ToolField[]> {
  const names = toolsOf(draft);
  if (names.size === 0) return {};
  return Object.fromEntries(
    offerTools(actor).flatMap(({ name, inputSchema }): [string, ToolField[]][] => {
      const fields = names.has(name) ? fieldsOfSchema(inputSchema) : undefined;
      return fields ? [[name, fields]] : [];
    }),
  );
}

function schedulesOf({ orgId }: Actor, { triggers }: Draft): DraftFacts["schedules"] {
  const zone = orgTimeZone(orgId);
  return Object.fromEntries(
    triggers.flatMap((trigger) => {
      if (trigger.type !== "schedule") return [];
      const [cron, timeZone] = [textIn(trigger, "cron"), textIn(trigger, "timeZone")];
      const text = describeSchedule({ cron, timeZone }, zone, now());
      return text ? [[scheduleKey(cron, timeZone), text]] : [];
    }),
  );
}

/** A warning whose link only those get who may mend it. */
function warn(actor: Actor, message: string, needs: Permission, to: string, label: string): StepWarning {
  return { message, ...(may(actor, needs) ? { link: { to, label } } : {}) };
}

function modelWarning(actor: Actor, model: string): StepWarning[] {
  const at = ["providers.manage", "/settings/providers", "Open Providers"] as const;
  if (model === OFFLINE_MODEL)
    return [warn(actor, "Only the built-in model answers here. Connect a provider for real answers.", ...at)];
  try {
    resolveModel(actor, model);
    return [];
  } catch (error) {
    if (error instanceof AppError) return [warn(actor, error.message, ...at)];
    throw error;
  }
}

function keyWarning(actor: Actor, key: string, kind: "database" | "other"): StepWarning[] {
  try {
    keyValue(actor.orgId, key, kind);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [warn(actor, error.message, "keys.manage", "/settings/keys", "Open API Keys")];
  }
}

const NO_MAIL = "Mail is off: no server is set by SMTP_URL, so this step fails.";

/** What a part needs and isn't there, by its fields. */
function warningsOf(actor: Actor, draft: Draft, part: DraftPart, fallback: string): StepWarning[] {
  const mailField = { send_email: "to", approval: "sendTo" }[part.type];
  const sendsMail = mailField !== undefined && (part.type === "send_email" || textIn(part, mailField) !== "");
  const mail =
    sendsMail && !hasMailServer()
      ? [warn(actor, NO_MAIL, "settings.manage", "/settings/environment", "Open Environment")]
      : [];
  const fields = findStepType(part.type)?.fields ?? [];
  const lacks = ({ name, control }: StepField): StepWarning[] => {
    const value = textIn(part, name);
    if (value.includes("{{")) return [];
    switch (control.kind) {
      case "model":
        // A persona brings its own model.
        return value === "" && textIn(part, "persona") !== ""
          ? []
          : modelWarning(actor, value || draft.model || fallback);
      case "tool": {
        const [reason] = value === "" ? [] : Object.values(explainMissingTools(actor, [value]));
        return reason === undefined
          ? []
          : [warn(actor, reason, "plugins.manage", "/extensions", "Open Extensions")];
      }
      case "key":
      case "database":
        return value === "" ? [] : keyWarning(actor, value, control.kind === "key" ? "other" : "database");
      default:
        return [];
    }
  };
  return [...mail, ...fields.flatMap(lacks)];
}

/** What the builder says beside a draft's fields: schedules in words, tools' fields, and what steps lack. */
export function describeDraft(actor: Actor, draft: Draft): DraftFacts {
  const fallback = listModels(actor)[0]?.id ?? OFFLINE_MODEL;
  const warnings = draft.steps.flatMap((step) => {
    const own = warningsOf(actor, draft, step, fallback);
    return own.length > 0 ? [[step.id, own] as const] : [];
  });
  return {
    schedules: schedulesOf(actor, draft),
    tools: toolFieldsOf(actor, draft),
    warnings: Object.fromEntries(warnings),
  };
}
