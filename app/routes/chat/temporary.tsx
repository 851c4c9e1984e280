import { useActionData, useLoaderData } from "@remix-run/react";
import { useCallback, useMemo } from "react";
import { now } from "~/core/clock.server";
import { isoTime } from "~/core/durations";
import { readCookie } from "~/http/cookies.server";
import { intent, screen } from "~/http/screen.server";
import { listBudgetWarnings } from "~/team/budgets/budgets.service.server";
import { BudgetWarnings } from "~/team/budgets/components/budget-warnings";
import { errorsOf, submittedText } from "~/ui/form-result";
import { pageTitle } from "~/ui/page-header";
import type { ChatMessage } from "~/work/chat/chat.schema";
import { DRAWER_COOKIE, OPEN_DRAWER } from "~/work/chat/chat-choices.shared";
import { TemporaryChat } from "~/work/chat/components/temporary-chat";
import { useChatOptions, withPersona } from "~/work/chat/components/use-chat-options";
import { renderMessages } from "~/work/chat/renderings.service.server";
import { TEMPORARY_FORM_BYTES, TemporaryDraft, TemporaryForm } from "~/work/chat/temporary/temporary.schema";
import {
  answerTemporarily,
  keepChat,
  readTemporaryScreen,
} from "~/work/chat/temporary/temporary.service.server";
import { readTranscript, showTranscript } from "~/work/chat/temporary/transcript.shared";

export const meta = pageTitle("Temporary Chat");

/** Messages that no row has, so that nothing of their rendering is stored either. */
const drawn = async (messages: ChatMessage[]) => ({ messages, renderings: await renderMessages(messages) });

const form = { maxBytes: TEMPORARY_FORM_BYTES, long: ["content", "transcript"] };

const { loader, action } = screen({
  access: "signed-in",
  load: async ({ actor, request }) => {
    const loaded = await readTemporaryScreen(actor);
    return {
      ...loaded,
      at: isoTime(now()),
      drawerOpen: readCookie(request, DRAWER_COOKIE, { secure: false }) === OPEN_DRAWER,
      budgetWarnings: loaded.refusal === undefined ? listBudgetWarnings(actor) : [],
    };
  },
  actions: {
    // Without JavaScript: the page comes once the answer is whole.
    send: intent({
      ...form,
      access: "chat.use",
      input: TemporaryForm,
      run: async ({ actor, input: { content, transcript, ...options }, context }) => {
        const messages = [...transcript, { role: "user" as const, content }];
        const answer = await answerTemporarily(actor, { ...options, messages }, context.closed);
        return {
          ...options,
          content: "",
          choosesPersona: false,
          ...(await drawn([...showTranscript(messages, answer.timestamp), answer])),
        };
      },
      done: (shown) => ({ show: shown }),
    }),
    persona: intent({
      ...form,
      access: "chat.use",
      input: TemporaryDraft,
      run: async ({ input: { transcript, ...filled } }) => ({
        ...filled,
        choosesPersona: true,
        ...(await drawn(showTranscript(transcript, isoTime(now())))),
      }),
      done: (shown) => ({ show: shown }),
    }),
    keep: intent({
      ...form,
      access: "chat.use",
      input: TemporaryDraft,
      run: ({ actor, input: { transcript: messages, content: _, ...options } }) =>
        keepChat(actor, { ...options, messages }),
      done: (id) => ({ to: `/chat/${id}`, toast: "Chat kept" }),
    }),
  },
});

export { action, loader };

type Loaded = ReturnType<typeof useLoaderData<typeof loader>>;

/** What a form without JavaScript has brought, with its options. */
function useReturned({ defaults, choices, at }: Loaded) {
  const actionData = useActionData<typeof action>();
  const { shown, result } = actionData ?? {};
  // Loading the page's data again must neither hide an error nor show an old one again.
  const refused = useMemo(
    () => result && { error: Object.values(errorsOf(result))[0]?.[0] ?? "Not sent" },
    [result],
  );
  return useMemo(() => {
    if (shown) {
      const { content, messages, renderings, persona = "", model = defaults.model, maxSteps, tools } = shown;
      const { reasoningEffort: effort = "default" } = shown;
      const options = { model, persona, maxSteps, effort, tools, memory: false };
      const chosen = shown.choosesPersona ? withPersona(options, persona, choices) : options;
      return { defaults: chosen, renderings, chat: { messages, content, refused } };
    }
    const { content, transcript } = result?.initialValue ?? {};
    const messages = showTranscript(readTranscript(submittedText(transcript)), at);
    return { defaults, renderings: {}, chat: { messages, content: submittedText(content), refused } };
  }, [shown, result, refused, defaults, choices, at]);
}

export default function TemporaryChatPage() {
  const loaded = useLoaderData<typeof loader>();
  const { choices, asker, enterSends, refusal, dictates, drawerOpen, budgetWarnings } = loaded;
  const { defaults, renderings, chat } = useReturned(loaded);
  const nothing = useCallback(() => undefined, []);
  const chosen = useChatOptions({
    opened: undefined,
    defaults,
    choices,
    onModel: nothing,
    onCreated: nothing,
  });
  return (
    <TemporaryChat
      choices={choices}
      chosen={chosen}
      asker={asker}
      enterSends={enterSends}
      refusal={refusal}
      dictates={dictates}
      drawerOpen={drawerOpen}
      returned={chat}
      renderings={renderings}
    >
      <BudgetWarnings warnings={budgetWarnings} />
    </TemporaryChat>
  );
}
