import type { Actor } from "~/core/actor";
import { transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import { changesOrSends, decidedPolicy, policyOf, savePolicy } from "./approval-rules.service.server";
import type { Tool } from "./tool.shared";
import { inputSchemaOf } from "./tool-input.service.server";
import { allTools, findTool } from "./tool-sources.service.server";
import type { PolicyChoice, ToolInfo } from "./tools.schema";

// Built-in schemas are constant; creating one takes 1 ms.
const schemas = new WeakMap<Tool, ToolInfo["inputSchema"]>();

function schemaOf(tool: Tool): ToolInfo["inputSchema"] {
  let schema = schemas.get(tool);
  if (!schema) {
    schema = inputSchemaOf(tool);
    schemas.set(tool, schema);
  }
  return schema;
}

function toInfo(orgId: string, tool: Tool): ToolInfo {
  const { name, title, description, effect } = tool;
  return {
    name,
    title,
    description,
    effect,
    changesOrSends: changesOrSends(tool),
    policy: policyOf(orgId, tool),
    isDefaultPolicy: decidedPolicy(orgId, name) === undefined,
    inputSchema: schemaOf(tool),
  };
}

export function listTools(actor: Actor): ToolInfo[] {
  authorise(actor, "screens.read");
  return allTools(actor).map((tool) => toInfo(actor.orgId, tool));
}

export function offerTools(actor: Actor): ToolInfo[] {
  return listTools(actor).filter(({ policy }) => policy !== "never");
}

/** `default` follows the effect. Applies from the next call on. @throws AppError `not_found` */
export function setToolPolicy(actor: Actor, name: string, choice: PolicyChoice): ToolInfo {
  authorise(actor, "settings.manage");
  return transaction((tx) => {
    const tool = findTool(actor, name);
    if (!tool) throw new AppError("not_found", `Tool "${name}" not found.`);
    const before = decidedPolicy(actor.orgId, name) ?? "default";
    if (before !== choice) {
      savePolicy(tx, actor.orgId, name, choice === "default" ? undefined : choice);
      append(tx, actor, {
        action: "tool.policy_changed",
        resource: `tool:${name}`,
        details: { tool: name },
        before: { policy: before },
        after: { policy: choice },
      });
    }
    return toInfo(actor.orgId, tool);
  });
}
