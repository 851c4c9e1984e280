import { redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { ChatForm, PersonaForm, RegenerateRequest } from "~/features/chat/chat.schema";
import { regenerateAnswer, sendMessage, stopAnswer } from "~/features/chat/chat.service.server";
import { ChatScreen } from "~/features/chat/components/chat-screen";
import { withPersona } from "~/features/chat/components/use-chat-options";
import { readConversation } from "~/features/chat/conversations.service.server";
import { readChatScreen } from "~/features/chat/screen.service.server";
import { changeSharing } from "~/features/chat/sharing.service.server";
import { intent, screen } from "~/http/screen.server";
import { titled } from "~/ui/titled";

export const meta = titled("AI Chat");

const { loader, action } = screen({
  access: "signed-in",
  load: async ({ actor, params }) => {
    const loaded = await readChatScreen(actor, params.conversationId);
    const comparison = loaded.conversation?.comparisonId;
    if (comparison) throw redirect(`/compare/${comparison}`);
    return loaded;
  },
  // The form's way without JavaScript: what it begins is watched on the page that streams it.
  actions: {
    send: intent({
      access: "chat.use",
      input: ChatForm,
      run: ({ actor, params: { conversationId }, input: { content, model, persona, maxSteps, tools } }) =>
        sendMessage(actor, {
          messages: [{ role: "user", content }],
          model: model || undefined,
          persona: persona || undefined,
          maxSteps,
          tools,
          ...(conversationId ? { conversationId } : {}),
        }),
      done: ({ conversationId }) => ({ to: `/chat/${conversationId}/live` }),
    }),
    persona: intent({
      access: "chat.use",
      input: PersonaForm,
      run: ({ input }) => input,
      done: (filled) => ({ show: filled }),
    }),
    stop: intent({
      access: "chat.use",
      run: ({ actor, params: { conversationId = "" } }) => stopAnswer(actor, conversationId),
    }),
    "allow-sharing": intent({
      access: "chat.use",
      run: ({ actor, params: { conversationId = "" } }) =>
        changeSharing(actor, conversationId, { sharingAllowed: true }),
    }),
    "withdraw-sharing": intent({
      access: "chat.use",
      run: ({ actor, params: { conversationId = "" } }) =>
        changeSharing(actor, conversationId, { sharingAllowed: false }),
    }),
    regenerate: intent({
      access: "chat.use",
      run: async ({ actor, params: { conversationId = "" } }) => {
        const { id, settings } = readConversation(actor, conversationId);
        const { personaId: persona, maxSteps, tools } = settings;
        await regenerateAnswer(actor, id, RegenerateRequest.parse({ persona, maxSteps, tools }));
      },
      done: (_, { url }) => ({ to: `${url.pathname}/live` }),
    }),
  },
});

export { action, loader };

export default function ChatPage() {
  const loaded = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  if (answer?.shown) {
    const { content, persona = "", model = loaded.defaults.model, maxSteps, tools } = answer.shown;
    const options = withPersona({ model, persona, maxSteps, tools }, persona, loaded.choices);
    return <ChatScreen {...loaded} defaults={options} draft={{ content, error: undefined }} />;
  }
  const result = answer?.result;
  const errors = Object.values(result?.error ?? {}).flat();
  const draft = result && {
    content: String(result.initialValue?.content ?? ""),
    error: errors[0] ?? "Not sent",
  };
  return <ChatScreen {...loaded} draft={draft} />;
}
