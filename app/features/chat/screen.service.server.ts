import type { Actor } from "~/core/actor";
import { may, refusal } from "~/features/members/authorisation.server";
import { currentUser } from "~/features/members/member.service.server";
import { availableModel, listModels, newChatModel } from "~/features/models/models.service.server";
import { listPersonas } from "~/features/personas/personas.service.server";
import { readUserSettings } from "~/features/settings/settings.service.server";
import { offerTools } from "~/features/tools/tools.service.server";
import type { Asker, ChatChoices, ChatOptions, Conversation, Starter } from "./chat.schema";
import { ConversationSettings } from "./chat.schema";
import { readConversation } from "./conversations.service.server";
import { type Renderings, renderMessages } from "./renderings.service.server";
import { startersFor } from "./starters.service.server";

export interface ChatScreenData {
  conversation: Conversation | undefined;
  /** The Markdown of its messages. */
  renderings: Renderings;
  choices: ChatChoices;
  defaults: ChatOptions;
  starters: Starter[];
  asker: Asker;
  /** Whether Enter sends the message. */
  enterSends: boolean;
  /** The conversation's model if it is missing from the list: `defaults` has its replacement. */
  goneModel: string | undefined;
  /** Why this person may not chat; absent when they may. */
  refusal: string | undefined;
}

/** The screen draws `parts`: it doesn't carry a tool's output twice. */
function readShownConversation(actor: Actor, id: string): Conversation {
  const conversation = readConversation(actor, id);
  return { ...conversation, messages: conversation.messages.map(({ toolCall: _, ...message }) => message) };
}

/** The person at the chat. */
export function readAsker(actor: Actor): Asker {
  const { firstName, lastName, email, profileImageUrl } = currentUser(actor);
  const name = [firstName, lastName].filter(Boolean).join(" ").trim() || email?.split("@")[0] || "User";
  return { id: actor.userId, name, picture: profileImageUrl };
}

/** Everything the chat screen shows: the conversation if one is open, what can be chosen, and what is chosen now. */
export async function readChatScreen(
  actor: Actor,
  conversationId: string | undefined,
): Promise<ChatScreenData> {
  const allowed = may(actor, "chat.use");
  const conversation = conversationId ? readShownConversation(actor, conversationId) : undefined;
  const models = listModels(actor);
  const tools = offerTools(actor);
  const toolNames = tools.map(({ name }) => name);
  const settings = conversation?.settings ?? ConversationSettings.parse({});
  const model = conversation ? availableModel(models, conversation.model) : newChatModel(actor, models);
  return {
    conversation,
    renderings: await renderMessages(conversation?.comparisonId ? [] : (conversation?.messages ?? [])),
    choices: {
      models: models.map(({ id, name, providerName: provider }) => ({ id, name, provider })),
      personas: listPersonas(actor).map(({ id, name, defaultModel, tools: own }) => ({
        id,
        name,
        defaultModel,
        tools: own.filter((tool) => toolNames.includes(tool)),
      })),
      tools: tools.map(({ name, title, effect }) => ({ name, title, effect })),
    },
    defaults: {
      model,
      persona: settings.personaId ?? "",
      maxSteps: settings.maxSteps,
      tools: settings.tools ?? toolNames,
    },
    starters: allowed ? startersFor(actor, { models, model, tools: toolNames }) : [],
    asker: readAsker(actor),
    enterSends: readUserSettings(actor).enterSends,
    goneModel:
      conversation && !models.some(({ id }) => id === conversation.model) ? conversation.model : undefined,
    refusal: allowed ? undefined : refusal("chat.use"),
  };
}
