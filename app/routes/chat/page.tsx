import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { ChatForm, RegenerateRequest } from "~/features/chat/chat.schema";
import { regenerateAnswer, sendMessage, stopAnswer } from "~/features/chat/chat.service.server";
import { ChatScreen } from "~/features/chat/components/chat-screen";
import { readConversation } from "~/features/chat/conversations.service.server";
import { readChatScreen } from "~/features/chat/screen.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
import { readForm } from "~/http/read-body.server";

export const meta: MetaFunction = () => [{ title: "AI Chat" }];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => {
    const screen = readChatScreen(actor, params.conversationId);
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
  const intent = form.get("intent");
  const id = params.conversationId;
  if (id && intent === "stop") {
    await onScreen(context, () => stopAnswer(actor, id));
    return redirect(`/chat/${id}`, 303);
  }
  if (id && intent === "regenerate") {
    await onScreen(context, async () => {
      const { model, settings } = readConversation(actor, id);
      const { personaId: persona, maxSteps, tools } = settings;
      await regenerateAnswer(actor, id, RegenerateRequest.parse({ model, persona, maxSteps, tools }));
    });
    return redirect(`/chat/${id}/live`, 303);
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
  const refused = useActionData<typeof action>();
  const result = refused && "result" in refused ? refused.result : undefined;
  const errors = Object.values(result?.error ?? {}).flat();
  const draft = result && {
    content: String(result.initialValue?.content ?? ""),
    error: errors[0] ?? "Not sent",
  };
  return <ChatScreen {...screen} draft={draft} />;
}
