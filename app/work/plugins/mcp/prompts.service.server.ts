import type { Actor } from "~/core/actor";
import { db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { append } from "~/platform/audit/audit.service.server";
import { authorise } from "~/platform/rights/authorization.server";
import type { OfferedPrompt } from "~/work/prompts/prompts.schema";
import { findActiveServerRow, listActiveServerRows } from "../plugins.repo.server";
import type { McpPromptInput } from "./mcp.schema";
import { withMcpClient } from "./mcp-client.server";
import { targetFor } from "./oauth/credentials.server";
import { visibleText } from "./visible-text";

const TIMEOUT = 30_000;
const TEXT_LIMIT = 20_000;
const MAX_MESSAGES = 50;

export function listServerPrompts(actor: Actor): OfferedPrompt[] {
  authorise(actor, "chat.use");
  return listActiveServerRows(db(), actor.orgId).flatMap(({ id, title, prompts }) =>
    prompts.map((prompt) => ({ ...prompt, server: id, serverTitle: title })),
  );
}

interface Message {
  role: string;
  content: { type: string; text?: string; resource?: { uri?: string; text?: string } };
}

function textOf({ role, content }: Message): string {
  const { type, text, resource } = content;
  const whole = type === "text" ? (text ?? "") : (resource?.text ?? `[${type}]`);
  return role === "assistant" ? `Assistant: ${whole}` : whole;
}

/**
 * For review before sending.
 * @throws AppError `not_found` for an inactive server, `invalid` without a required value
 */
export async function fillServerPrompt(
  actor: Actor,
  { server: id, name, values }: McpPromptInput,
  signal: AbortSignal,
): Promise<{ text: string }> {
  authorise(actor, "chat.use");
  const server = findActiveServerRow(db(), actor.orgId, id);
  const prompt = server?.prompts.find((one) => one.name === name);
  if (!server || !prompt) throw new AppError("not_found", "Prompt not found. Its plugin may be inactive.");
  const missing = prompt.arguments.find((argument) => argument.required && !values[argument.name]);
  if (missing) throw new AppError("invalid", `Enter a value for ${missing.name}.`);
  const supplied = prompt.arguments.flatMap(({ name: key }) =>
    values[key] ? [[key, values[key]] as const] : [],
  );
  transaction((tx) =>
    append(tx, actor, {
      action: "extension.prompt_used",
      resource: `plugin:${id}`,
      details: { title: server.title, prompt: name },
    }),
  );
  const { messages } = await withMcpClient(targetFor(server, actor), signal, (client) =>
    client.getPrompt({ name, arguments: Object.fromEntries(supplied) }, { signal, timeout: TIMEOUT }),
  );
  const texts = (messages as Message[]).slice(0, MAX_MESSAGES).map(textOf);
  return { text: visibleText(texts.join("\n\n"), TEXT_LIMIT) };
}
