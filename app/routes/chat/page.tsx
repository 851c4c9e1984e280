import { redirect } from "@remix-run/node";
import {
  type MetaFunction,
  Outlet,
  useActionData,
  useFetchers,
  useLoaderData,
  useLocation,
  useNavigate,
  useNavigation,
} from "@remix-run/react";
import { Paperclip } from "lucide-react";
import { startTransition, useCallback, useEffect, useRef, useState } from "react";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { readCookie } from "~/http/cookies.server";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { may } from "~/platform/rights/authorization.server";
import { ModelChoice } from "~/platform/settings/settings.schema";
import { listBudgetWarnings } from "~/team/budgets/budgets.service.server";
import { BudgetWarnings } from "~/team/budgets/components/budget-warnings";
import { DropOverlay } from "~/ui/drop-overlay";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { appNameOf } from "~/ui/page-header";
import { useInPlace } from "~/ui/sending";
import { AnswerForm, DecisionForm, WithdrawForm } from "~/work/chat/approvals/approvals.schema";
import { decideByForm, withdrawApproval } from "~/work/chat/approvals/approvals.service.server";
import { ATTACHMENT_UPLOAD } from "~/work/chat/attachments/attachments.schema";
import { sendWithFiles } from "~/work/chat/attachments/send-with-files.service.server";
import {
  branchConversation,
  continueAnswer,
  editMessage,
  regenerateAnswer,
  selectVariant,
} from "~/work/chat/branches.service.server";
import {
  ChatForm,
  ChatQuery,
  ContinueForm,
  EditForm,
  FeedbackForm,
  MessageTarget,
  PersonaForm,
  RegenerateForm,
  SummaryForm,
} from "~/work/chat/chat.schema";
import { sendMessage, stopAnswer } from "~/work/chat/chat.service.server";
import { DRAWER_COOKIE, OPEN_DRAWER } from "~/work/chat/chat-choices.shared";
import { ChatScreen } from "~/work/chat/components/chat-screen";
import { useChatOptions, withPersona } from "~/work/chat/components/use-chat-options";
import { editSummary, undoSummary } from "~/work/chat/context/summaries.service.server";
import {
  changeSharing,
  chooseConversationModel,
  conversationOfMessage,
  readSettings,
} from "~/work/chat/conversations.service.server";
import { answerByForm } from "~/work/chat/questions/questions.service.server";
import { rateAnswer } from "~/work/chat/ratings.service.server";
import { readChatScreen } from "~/work/chat/screen.service.server";
import { isSharedByOther } from "~/work/chat/shares/shared-conversations.service.server";
import { areTemporaryAllowed } from "~/work/chat/temporary/temporary.service.server";
import { useFileDrop } from "~/work/documents/components/ingestion/use-file-drop";
import { PromptPicker, PromptsLink } from "~/work/prompts/components/prompt-picker";

const allowSharing = (sharingAllowed: boolean) =>
  intent({
    access: "chat.use",
    run: ({ actor, params: { conversationId = "" } }) =>
      changeSharing(actor, conversationId, { sharingAllowed }),
  });

const { loader, action } = screen({
  access: "signed-in",
  query: ChatQuery,
  load: async ({ actor, params, query, request }) => {
    const { conversationId } = params;
    if (conversationId && isSharedByOther(actor, conversationId))
      throw redirect(`/chat/shared/${conversationId}`);
    // Reloaded before the response to a first message.
    const begun = !conversationId && query.message && conversationOfMessage(actor, query.message);
    if (begun) throw redirect(`/chat/${begun}`);
    const loaded = await readChatScreen(actor, conversationId, query);
    const comparison = loaded.conversation?.comparisonId;
    if (comparison) throw redirect(`/compare/${comparison}`);
    const persona = loaded.conversation ? undefined : (query.persona ?? loaded.project?.persona);
    const defaults = persona ? withPersona(loaded.defaults, persona, loaded.choices) : loaded.defaults;
    const spender = { ...actor, personaId: defaults.persona || undefined };
    return {
      ...loaded,
      persona,
      defaults,
      temporary: areTemporaryAllowed(actor),
      drawerOpen: readCookie(request, DRAWER_COOKIE, { secure: false }) === OPEN_DRAWER,
      mayManageBudgets: may(actor, "budgets.manage"),
      budgetWarnings: loaded.refusal === undefined ? listBudgetWarnings(spender) : [],
    };
  },
  // Without JavaScript: redirects to the streaming page.
  actions: {
    send: intent({
      access: "chat.use",
      input: ChatForm,
      run: ({
        actor,
        params: { conversationId },
        url: { searchParams },
        input: { content, model, persona, maxSteps, reasoningEffort, tools, memory },
      }) =>
        sendMessage(actor, {
          messages: [{ role: "user", content }],
          model: model || undefined,
          persona: persona || null,
          maxSteps,
          reasoningEffort,
          tools,
          memory,
          ...(conversationId ? { conversationId } : {}),
          folderId: searchParams.get("folder") ?? undefined,
        }),
      done: ({ conversationId }) => ({ to: `/chat/${conversationId}/live` }),
    }),
    "send-files": intent({
      access: "chat.use",
      upload: ATTACHMENT_UPLOAD,
      handlesRefusal: true,
      run: ({ actor, params: { conversationId }, url, parts, context: { closed, refusal } }) => {
        const folderId = url.searchParams.get("folder") ?? undefined;
        return sendWithFiles(actor, { conversationId, folderId }, parts, { signal: closed, refusal });
      },
      done: (outcome, { context }) =>
        "error" in outcome
          ? { show: outcome, status: context.refusal ? 429 : outcome.error === undefined ? 200 : 400 }
          : { to: `/chat/${outcome.conversationId}/live` },
    }),
    model: intent({
      access: "chat.use",
      input: ModelChoice,
      run: ({ actor, params: { conversationId = "" }, input }) =>
        chooseConversationModel(actor, conversationId, input),
      done: (_, { returnTo }) => (returnTo === undefined ? {} : { to: returnTo }),
      failed: { toast: "Couldn't save the model" },
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
    "allow-sharing": allowSharing(true),
    "withdraw-sharing": allowSharing(false),
    "decide-call": intent({
      access: "chat.use",
      input: DecisionForm,
      run: ({ actor, params: { conversationId = "" }, input }) => decideByForm(actor, conversationId, input),
      done: ({ message }, { url }) =>
        message.status === "streaming" ? { to: `${url.pathname}/live` } : { to: url.pathname },
    }),
    "answer-question": intent({
      access: "chat.use",
      input: AnswerForm,
      run: ({ actor, params: { conversationId = "" }, input }) => answerByForm(actor, conversationId, input),
      done: (_, { url }) => ({ to: `${url.pathname}/live` }),
    }),
    "withdraw-approval": intent({
      access: "chat.use",
      input: WithdrawForm,
      run: ({ actor, params: { conversationId = "" }, input }) =>
        withdrawApproval(actor, conversationId, input.tool),
      failed: "page",
    }),
    regenerate: intent({
      access: "chat.use",
      input: RegenerateForm,
      run: ({ actor, params: { conversationId = "" }, input: { messageId, model } }) =>
        regenerateAnswer(actor, conversationId, {
          ...readSettings(actor, conversationId),
          messageId,
          model: model || undefined,
        }),
      done: (_, { url }) => ({ to: `${url.pathname}/live` }),
      failed: "page",
    }),
    continue: intent({
      access: "chat.use",
      input: ContinueForm,
      run: ({ actor, params: { conversationId = "" }, input }) =>
        continueAnswer(actor, conversationId, input),
      done: (_, { url }) => ({ to: `${url.pathname}/live` }),
      failed: "page",
    }),
    edit: intent({
      access: "chat.use",
      input: EditForm,
      run: ({ actor, params: { conversationId = "" }, input }) =>
        editMessage(actor, conversationId, { ...readSettings(actor, conversationId), ...input }),
      done: (_, { url }) => ({ to: `${url.pathname}/live` }),
    }),
    variant: intent({
      access: "chat.use",
      input: MessageTarget,
      run: ({ actor, params: { conversationId = "" }, input: { messageId } }) => {
        selectVariant(actor, conversationId, messageId);
        return messageId;
      },
      done: (messageId, { url }) => ({ to: `${url.pathname}#${messageId}` }),
      failed: { toast: "Couldn't show the other version" },
    }),
    "edit-summary": intent({
      access: "chat.use",
      input: SummaryForm,
      run: ({ actor, params: { conversationId = "" }, input: { messageId, text } }) =>
        editSummary(actor, conversationId, messageId, { text }),
      done: "Summary saved",
      failed: { toast: "Couldn't save the summary" },
    }),
    "undo-summary": intent({
      access: "chat.use",
      input: MessageTarget,
      run: ({ actor, params: { conversationId = "" }, input: { messageId } }) =>
        undoSummary(actor, conversationId, messageId),
      done: "Summary undone. The next message sends the messages again, as long as they fit",
      failed: { toast: "Couldn't undo the summary" },
    }),
    branch: intent({
      access: "chat.use",
      input: MessageTarget,
      run: ({ actor, params: { conversationId = "" }, input: { messageId } }) =>
        branchConversation(actor, conversationId, messageId),
      done: (id) => ({ to: `/chat/${id}`, toast: "Conversation branched" }),
      failed: { toast: "Couldn't branch the conversation" },
    }),
    feedback: intent({
      access: "chat.use",
      input: FeedbackForm,
      run: ({ actor, params: { conversationId = "" }, input }) => {
        rateAnswer(actor, conversationId, input);
        return input.messageId;
      },
      done: (messageId, { url, returnTo }) => ({ to: returnTo ?? `${url.pathname}#actions-${messageId}` }),
      failed: { toast: "Couldn't save the rating" },
    }),
    unrate: intent({
      access: "chat.use",
      input: FeedbackForm,
      run: ({ actor, params: { conversationId = "" }, input: { messageId } }) => {
        rateAnswer(actor, conversationId, { messageId, rating: null, comment: null });
        return messageId;
      },
      done: (messageId, { url, returnTo }) => ({ to: returnTo ?? `${url.pathname}#actions-${messageId}` }),
      failed: { toast: "Couldn't remove the rating" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

type Loaded = Awaited<ReturnType<typeof loader>>;

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => {
  const title = data?.conversation ? toDisplayText(data.conversation.title) : "AI Chat";
  return [{ title: `${title} · ${appNameOf(matches)}` }];
};

function useReturned({ defaults, choices }: Pick<Loaded, "defaults" | "choices">) {
  const actionData = useActionData<typeof action>();
  if (actionData?.shown) {
    const { content, persona = "", model = defaults.model, maxSteps, tools } = actionData.shown;
    const { reasoningEffort: effort = "default", memory } = actionData.shown;
    const options = { model, persona, maxSteps, effort, tools, memory };
    const refused = "error" in actionData.shown ? actionData.shown : undefined;
    const returned = { content, error: refused?.error, attachments: refused?.attachments ?? [] };
    return { defaults: refused ? options : withPersona(options, persona, choices), draft: returned };
  }
  const result = actionData?.result;
  const errors = Object.values(result?.error ?? {}).flat();
  const { toolCallId, input, questionId } = result?.initialValue ?? {};
  if (result && questionId !== undefined)
    return { defaults, refusedAnswer: { questionId: String(questionId), result } };
  if (toolCallId !== undefined) {
    const refusedCall = {
      toolCallId: String(toolCallId),
      input: String(input ?? ""),
      error: String(errors[0] ?? ""),
    };
    return { defaults, refusedCall };
  }
  const draft = result && {
    content: String(result.initialValue?.content ?? ""),
    error: errors[0] ?? "Not sent",
  };
  const messageId = result?.initialValue?.messageId;
  return messageId && draft
    ? { defaults, refusedEdit: { ...draft, messageId: String(messageId) } }
    : { defaults, draft };
}

/** @returns opens a new conversation's page, unless another was opened meanwhile */
function useOpenCreated(visit: string): (id: string) => void {
  const navigate = useNavigate();
  const navigation = useNavigation();
  // Otherwise the navigation could complete with data from before.
  const isSaving = useFetchers().some(({ formMethod }) => formMethod !== undefined && formMethod !== "GET");
  const [created, setCreated] = useState<{ id: string; visit: string }>();
  useEffect(() => {
    if (!created || isSaving) return;
    setCreated(undefined);
    if (created.visit === visit && navigation.state === "idle")
      navigate(`/chat/${created.id}`, { replace: true, preventScrollReset: true });
  }, [created, isSaving, visit, navigation, navigate]);
  return useCallback(
    (id: string) => {
      // A reload opens the conversation even before its page has loaded.
      window.history.replaceState(window.history.state, "", withBase(`/chat/${id}`));
      // After the router's own updates, which are transitions too.
      startTransition(() => setCreated({ id, visit }));
    },
    [visit],
  );
}

export default function ChatPage() {
  const { persona, budgetWarnings, mayManageBudgets, ...loaded } = useLoaderData<typeof loader>();
  const { conversation, choices } = loaded;
  const { defaults, draft, refusedCall, refusedAnswer, refusedEdit } = useReturned(loaded);
  const [reading, setReading] = useState(false);
  useLiveTopics(["conversations"], { isPaused: reading });
  const { send } = useInPlace("conversation-model");
  const action = conversation && `/chat/${conversation.id}`;
  // A new conversation is stored with the model of its first message.
  const onModel = useCallback(
    (model: string) => {
      if (action) send({ model, intent: "model" }, action);
    },
    [send, action],
  );
  const { key: visit } = useLocation();
  const onCreated = useOpenCreated(visit);
  const onBegin = useCallback((messageId: string) => {
    const { pathname, search } = window.location;
    const params = new URLSearchParams(search);
    params.set("message", messageId);
    window.history.replaceState(window.history.state, "", `${pathname}?${params}`);
  }, []);
  const chosen = useChatOptions({
    opened: conversation?.id ?? ([loaded.project?.id, persona].filter(Boolean).join(" ") || undefined),
    defaults,
    choices,
    onModel,
    onCreated,
  });

  const takeFiles = useRef<(files: File[]) => void>();
  const dropping = useFileDrop(loaded.refusal === undefined, (files) =>
    takeFiles.current?.(files.flatMap(({ file, problem }) => (problem ? [] : [file]))),
  );
  return (
    <>
      <ChatScreen
        {...loaded}
        visit={visit}
        defaults={defaults}
        chosen={chosen}
        draft={draft}
        refusedCall={refusedCall}
        refusedAnswer={refusedAnswer}
        refusedEdit={refusedEdit}
        takeFiles={takeFiles}
        onBegin={onBegin}
        onReading={setReading}
        links={<PromptsLink />}
      >
        <BudgetWarnings warnings={budgetWarnings} mayManage={mayManageBudgets} />
        <PromptPicker />
      </ChatScreen>
      <Outlet />
      {dropping && <DropOverlay icon={<Paperclip />} text="Drop files to attach them" />}
    </>
  );
}
