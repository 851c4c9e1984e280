import type { Actor } from "~/core/actor";
import { may, refusal } from "~/features/members/authorisation.server";
import { getSessionModel } from "~/features/members/session.service.server";
import { chatDefaultModel, listModels } from "~/features/models/models.service.server";
import { listPersonas } from "~/features/personas/personas.service.server";
import type { ChatChoices, ChatOptions, Conversation, ConversationSummary } from "./chat.schema";
import { ConversationSettings } from "./chat.schema";
import { listOwnConversations, readConversation } from "./conversations.service.server";
import { tools } from "./tools/index.server";

/** Conversations offered beside the chat. */
const RECENT = 8;

export interface ChatScreenData {
  conversation: Conversation | undefined;
  recent: ConversationSummary[];
  choices: ChatChoices;
  defaults: ChatOptions;
  /** The model picked at the top of the page, if one was. */
  sessionModel: string | undefined;
  /** Why this person may not chat; absent when they may. */
  refusal: string | undefined;
}

/** Everything the chat screen shows: the conversation if one is open, what can be chosen, and what is chosen now. */
export function readChatScreen(actor: Actor, conversationId: string | undefined): ChatScreenData {
  const allowed = may(actor, "chat.use");
  const conversation = conversationId ? readConversation(actor, conversationId) : undefined;
  const models = listModels(actor);
  const chosen = getSessionModel(actor);
  const settings = conversation?.settings ?? ConversationSettings.parse({});
  return {
    conversation,
    recent: allowed ? listOwnConversations(actor, { limit: RECENT }).conversations : [],
    choices: {
      models: models.map(({ id, name, provider }) => ({ id, name, provider })),
      personas: listPersonas(actor).map(({ id, name, defaultModel, tools: own }) => ({
        id,
        name,
        defaultModel,
        tools: own,
      })),
      tools: tools.map(({ name, title, effect }) => ({ name, title, effect })),
    },
    defaults: {
      model:
        conversation?.model ?? models.find((model) => model.id === chosen)?.id ?? chatDefaultModel(models),
      persona: settings.personaId ?? "",
      maxSteps: settings.maxSteps,
      tools: settings.tools ?? tools.map((tool) => tool.name),
    },
    sessionModel: models.find((model) => model.id === chosen)?.id,
    refusal: allowed ? undefined : refusal("chat.use"),
  };
}
