import type { Model } from "~/ai/models/models.schema";
import {
  availableModel,
  limitedDefault,
  listModels,
  newChatModel,
  takes,
  toOffered,
  toolsOff,
} from "~/ai/models/models.service.server";
import { offerTools } from "~/ai/tools/tools.service.server";
import type { Actor } from "~/core/actor";
import { db } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { toDisplayText } from "~/core/well-formed";
import { OFFLINE_MODEL } from "~/platform/catalogue/offline-model";
import { may, refusal } from "~/platform/rights/authorization.server";
import { currentUser } from "~/team/members/member.service.server";
import { readUserSettings } from "~/team/members/preferences.service.server";
import { newestDocumentName } from "~/work/documents/documents.service.server";
import { listPersonas } from "~/work/personas/personas.service.server";
import { canSee } from "./attachments/attachments.service.server";
import {
  type ChatMessage,
  type ChatQuery,
  type Conversation,
  ConversationSettings,
  type ShownConversation,
} from "./chat.schema";
import type { Asker, Starter } from "./chat-choices.shared";
import {
  listMessagesById,
  markRead,
  pageWindow,
  readConversation,
  readConversationWith,
} from "./conversations.service.server";
import { hasMemory, listProposals } from "./memories/memories.service.server";
import { findProject, personaOf, requireFolder } from "./projects/projects.service.server";
import { markQuotes, readPageOf } from "./read-page.shared";
import { type Renderings, renderMessages } from "./renderings.service.server";
import { offeredVoice } from "./voice/voice.service.server";

function startersFor(
  actor: Actor,
  { models, model, tools }: { models: readonly Model[]; model: string; tools: readonly string[] },
): Starter[] {
  const starters: Starter[] = [];
  const document = newestDocumentName(actor);
  if (document && tools.includes("qdrant.search")) {
    starters.push({ label: `Ask about ${document}`, prompt: `What does "${document}" say?` });
  }
  if (model !== OFFLINE_MODEL) {
    starters.push({ label: "Ask what it can do", prompt: "What can you do for me, and with which tools?" });
  } else if (tools.includes("kv.set")) {
    starters.push({ label: "Save a value with a tool", prompt: "kv.set greeting hello", tool: "kv.set" });
    starters.push({ label: "Read it back", prompt: "kv.get greeting" });
  }
  if (!document && may(actor, "documents.write")) {
    starters.push({ label: "Add documents to ask about", to: "/rag?dialog=ingest&tab=file" });
  }
  if (models.every(({ id }) => id === OFFLINE_MODEL) && may(actor, "providers.manage")) {
    starters.push({
      label: "Connect a model provider",
      to: "/settings/providers?dialog=add-provider",
    });
  }
  return starters;
}

const off = (tools: ReturnType<typeof toolsOff>) => (tools.length > 0 ? { toolsOff: tools } : {});

const PAGE_MESSAGES = 50;
/** Versions compared side by side, newest first. */
const MAX_COMPARED = 4;

/** The screen uses `parts`; don't send the tool's output twice. */
const withoutToolCall = ({ toolCall: _, ...message }: ChatMessage): ChatMessage => message;

export async function readConversationPage(
  actor: Actor,
  id: string,
  query: Pick<ChatQuery, "before" | "message"> = {},
): Promise<{ conversation: ShownConversation; renderings: Renderings }> {
  const read = readConversationWith(actor, id, (row) => pageWindow(row, query, PAGE_MESSAGES));
  const conversation = { ...read, messages: read.messages.map(withoutToolCall) };
  return { conversation, renderings: await renderMessages(conversation.messages) };
}

async function readVariants(
  actor: Actor,
  conversation: Conversation,
  messageId: string | undefined,
): Promise<{ messages: ChatMessage[]; renderings: Renderings } | undefined> {
  const message = conversation.messages.find(({ id }) => id === messageId);
  if (message?.role !== "assistant" || message.variants.length === 0) return undefined;
  const messages = listMessagesById(actor, conversation.id, message.variants.slice(-MAX_COMPARED)).map(
    withoutToolCall,
  );
  return { messages, renderings: await renderMessages(messages) };
}

export function readAsker(actor: Actor): Asker {
  const { firstName, lastName, email, profileImageUrl } = currentUser(actor);
  const name = [firstName, lastName].filter(Boolean).join(" ").trim() || email?.split("@")[0] || "User";
  return { id: actor.userId, name, picture: profileImageUrl };
}

export async function readChatScreen(
  actor: Actor,
  conversationId: string | undefined,
  query: Pick<ChatQuery, "before" | "message" | "panel" | "of" | "folder"> = {},
) {
  const allowed = may(actor, "chat.use");
  const page = conversationId ? await readConversationPage(actor, conversationId, query) : undefined;
  const conversation = page?.conversation;
  if (conversation) markRead(actor, conversation);
  const kept = conversation?.folderId ? findProject(actor, conversation.folderId) : undefined;
  const chosen =
    allowed && !conversation && query.folder ? requireFolder(db(), actor, query.folder) : undefined;
  const project = kept ?? chosen;
  const models = listModels(actor);
  const tools = offerTools(actor);
  const toolNames = tools.map(({ name }) => name);
  const defaultTools = tools.filter((tool) => !tool.changesOrSends).map(({ name }) => name);
  const settings = conversation?.settings ?? ConversationSettings.parse({});
  const memory = allowed && hasMemory(actor, project?.id);
  const model = conversation ? availableModel(models, conversation.model) : newChatModel(actor, models);
  return {
    conversation,
    /** The folder that it is in, or goes into. */
    project: project && { id: project.id, name: project.name, persona: personaOf(actor, project) },
    renderings: page?.renderings ?? {},
    compared:
      conversation &&
      (await readVariants(actor, conversation, query.panel === "variants" ? query.of : undefined)),
    choices: {
      models: models.map((one) => ({
        ...toOffered(one),
        sees: canSee(actor, one),
        takesTools: takes(actor.orgId, one.id, "tools"),
        ...off(toolsOff(actor.orgId, one.id)),
      })),
      defaultModel: newChatModel(actor, models),
      personas: listPersonas(actor).map(({ id, name, defaultModel, reasoningEffort, tools: own }) => ({
        id,
        name,
        defaultModel,
        reasoningEffort,
        tools: own.filter((tool) => toolNames.includes(tool)),
      })),
      tools: tools.map(({ name, title, effect }) => ({ name, title, effect })),
      defaultTools,
      memory,
    },
    defaults: {
      model,
      persona: settings.personaId ?? "",
      maxSteps: settings.maxSteps,
      effort: settings.reasoningEffort ?? "default",
      // What nobody selected stays so until a person does.
      tools: settings.tools
        ? settings.tools.filter((name) => settings.offered?.[name] === undefined)
        : defaultTools,
      memory: memory && (!conversation || settings.memory === true),
    },
    proposals: conversation ? listProposals(actor, conversation.id) : [],
    voice: allowed ? offeredVoice(actor) : { dictates: false, speaks: false },
    starters: allowed ? startersFor(actor, { models, model, tools: toolNames }) : [],
    asker: readAsker(actor),
    // Where the length of answers is set, for those who may.
    limitAt: may(actor, "settings.manage") ? "/settings/advanced#ai-configuration" : undefined,
    enterSends: readUserSettings(actor).enterSends,
    goneModel: conversation
      ? models.some(({ id }) => id === conversation.model)
        ? undefined
        : conversation.model
      : limitedDefault(actor),
    refusal: allowed ? undefined : refusal("chat.use"),
  };
}

export function readStoredPage(actor: Actor, conversationId: string, toolCallId: string) {
  const { messages, title: conversation } = readConversation(actor, conversationId);
  for (const message of messages.toReversed()) {
    const part = message.parts.find((one) => one.type === "tool" && one.toolCallId === toolCallId);
    const page = part?.type === "tool" && part.state === "done" ? readPageOf(part.output) : undefined;
    if (!page) continue;
    return {
      conversation: toDisplayText(conversation),
      url: page.url,
      title: toDisplayText(page.title),
      readAt: message.timestamp,
      pieces: markQuotes(toDisplayText(page.text), toDisplayText(message.content)),
    };
  }
  throw new AppError("not_found", "Page not found in this conversation.");
}
