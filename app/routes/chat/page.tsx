import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { ChatForm, PersonaForm, RegenerateRequest } from "~/features/chat/chat.schema";
import { regenerateAnswer, sendMessage, stopAnswer } from "~/features/chat/chat.service.server";
import { ChatScreen } from "~/features/chat/components/chat-screen";
import { withPersona } from "~/features/chat/components/use-chat-options";
import { readConversation } from "~/features/chat/conversations.service.server";
import { readChatScreen } from "~/features/chat/screen.service.server";
import { changeSharing } from "~/features/chat/sharing.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
import { takeField } from "~/http/intents.server";
import { readForm } from "~/http/read-body.server";
import { titled } from "~/ui/titled";

export const meta = titled("AI Chat");

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, async () => {
    const screen = await readChatScreen(actor, params.conversationId);
    const comparison = screen.conversation?.comparisonId;
    if (comparison) throw redirect(`/compare/${comparison}`);
    return screen;
  });
}

/** The form's way without JavaScript: what it begins is watched on the page that streams it. */
export async function action({ request, params, context }: ActionFunctionArgs) {
  const actor = requireScreenActor(request, context);
  await onScreen(context, () => authorise(actor, "chat.use"));
  const form = await onScreen(context, () => readForm(request));
  const intent = takeField(form, "intent");
  const id = params.conversationId;
  if (id && intent === "stop") {
    await onScreen(context, () => stopAnswer(actor, id));
    return redirect(`/chat/${id}`, 303);
  }
  if (id && (intent === "allow-sharing" || intent === "withdraw-sharing")) {
    await onScreen(context, () => changeSharing(actor, id, { sharingAllowed: intent === "allow-sharing" }));
    return redirect(`/chat/${id}`, 303);
  }
  if (id && intent === "regenerate") {
    await onScreen(context, async () => {
      const { settings } = readConversation(actor, id);
      const { personaId: persona, maxSteps, tools } = settings;
      await regenerateAnswer(actor, id, RegenerateRequest.parse({ persona, maxSteps, tools }));
    });
    return redirect(`/chat/${id}/live`, 303);
  }
  if (intent === "persona") {
    const filled = await submitForm(form, PersonaForm, context, (fields) => fields);
    return filled.done ? onScreen(context, () => ({ filled: filled.value })) : filled.answer;
  }
  const sent = await submitForm(form, ChatForm, context, ({ content, model, persona, maxSteps, tools }) =>
    sendMessage(actor, {
      messages: [{ role: "user", content }],
      model: model || undefined,
      persona: persona || undefined,
      maxSteps,
      tools,
      ...(id ? { conversationId: id } : {}),
    }),
  );
  return sent.done ? redirect(`/chat/${sent.value.conversationId}/live`, 303) : sent.answer;
}

export default function ChatPage() {
  const screen = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  if (answer && "filled" in answer) {
    const { content, persona = "", model = screen.defaults.model, maxSteps, tools } = answer.filled;
    const options = withPersona({ model, persona, maxSteps, tools }, persona, screen.choices);
    return <ChatScreen {...screen} defaults={options} draft={{ content, error: undefined }} />;
  }
  const result = answer && "result" in answer ? answer.result : undefined;
  const errors = Object.values(result?.error ?? {}).flat();
  const draft = result && {
    content: String(result.initialValue?.content ?? ""),
    error: errors[0] ?? "Not sent",
  };
  return <ChatScreen {...screen} draft={draft} />;
}
